import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { modelKey } from '../models.ts'
import { formatAbout } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { receiptButton } from '../spend/receipts.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import { DECISIONS, decisionsFor, type Turn } from './turn.ts'

const MODEL_CHARS_MAX = 40

/** `halt` is Stop below another message, `back` is Take back below the line that a turn waits. */
const TURN_BUTTONS = {
  stop: { key: 'button-stop', style: 'danger' },
  halt: { key: 'button-stop-answer', style: 'danger' },
  back: { key: 'button-take-back' },
  retry: { key: 'button-retry' },
} as const

/** The data of these buttons: the action, the turn and, of another model, its key. */
export const STOP_DATA = /^(stop|halt|back):(\d{1,18})$/
export const ROW_DATA = /^row:(same|others|back):(\d{1,18})$/
export const DECISION_DATA = new RegExp(`^(${DECISIONS.join('|')}):(\\d{1,18})(?::([\\w-]+))?$`)

/** A model with which an answer may be given again. */
export interface AgainOffer {
  model: string
  isSame: boolean
  costMicroRub?: bigint
}

/** The second step of an answer's row: its own model, or another one. */
export type RowStep = 'same' | 'others'

type Labelled = Pick<Turn, 'id' | 'languageCode'>

/** The offers below a turn that ended, beside its decisions. */
export interface EndOffers {
  again: readonly AgainOffer[]
  isCostShown: boolean
}

/** Makes a keyboard of one button that acts on a turn. */
export function turnButton(
  action: keyof typeof TURN_BUTTONS,
  { id, languageCode }: Labelled,
  texts: Texts,
): InlineKeyboardMarkup {
  const { key, ...style } = TURN_BUTTONS[action]
  const button = { text: texts.t(languageCode, key), callback_data: `${action}:${id}`, ...style }
  return { inline_keyboard: [[button]] }
}

/**
 * Makes the keyboard below a turn that does not run: its decisions one below the other, then one quiet row, and the
 * receipt if the cost is shown. The receipt stays when the row goes, and the three are too wide for one row of a phone.
 */
export function endKeyboard(
  turn: Turn,
  { again, isCostShown }: EndOffers,
  { texts, limitTexts }: { texts: Texts; limitTexts: Pick<LimitTexts, 'askButton'> },
): InlineKeyboardMarkup | undefined {
  const { limitReached, languageCode, id, charge } = turn
  const toButton = (key: string, data: string) => ({
    text: texts.t(languageCode, key),
    callback_data: `${data}:${id}`,
  })
  // An answer that a limit cut short is there: no question is asked anew once the limit is raised.
  const unasked = turn.state === 'finished' ? undefined : id
  const decisions = decisionsFor(turn).filter((decision) => decision !== 'again')
  const row = [
    ...(again.some(({ isSame }) => isSame) ? [toButton('button-row-again', 'row:same')] : []),
    ...(again.some(({ isSame }) => !isSame) ? [toButton('button-row-others', 'row:others')] : []),
  ]
  const rows = [
    ...(limitReached ? [[limitTexts.askButton(limitReached, languageCode, unasked)]] : []),
    ...decisions.map((decision) => [toButton(`button-${decision}`, decision)]),
    ...(row.length > 0 ? [row] : []),
    ...(isCostShown && charge
      ? [[receiptButton({ turnId: id, ...charge }, languageCode, texts)]]
      : []),
  ]
  return rows.length === 0 ? undefined : { inline_keyboard: rows }
}

/** Makes the keyboard of a row's second step: each model with its price, and the way back. @returns Undefined if there is none. */
export function pickKeyboard(
  turn: Labelled,
  { again, step }: Pick<EndOffers, 'again'> & { step: RowStep },
  texts: Texts,
): InlineKeyboardMarkup | undefined {
  const offered = again.filter(({ isSame }) => isSame === (step === 'same'))
  if (offered.length === 0) return undefined
  const text = texts.t(turn.languageCode, 'button-row-back')
  const back = { text, callback_data: `row:back:${turn.id}` }
  // Long labels stand one below the other.
  const rows = [...offered.map((offer) => againButton(turn, offer, texts)), back]
  return { inline_keyboard: rows.map((button) => [button]) }
}

function againButton(
  { id, languageCode }: Labelled,
  { model, isSame, costMicroRub }: AgainOffer,
  texts: Texts,
): InlineKeyboardButton {
  const text = texts.t(languageCode, isSame ? 'button-answer-again' : 'button-answer-again-with', {
    model: shortenLine(model, MODEL_CHARS_MAX),
    price: costMicroRub === undefined ? 'unknown' : 'known',
    amount: costMicroRub === undefined ? '' : formatAbout(costMicroRub, languageCode),
  })
  return { text, callback_data: `again:${id}${isSame ? '' : `:${modelKey(model)}`}` }
}
