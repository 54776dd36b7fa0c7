import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { modelKey } from '../models.ts'
import { formatAbout } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { receiptButton } from '../spend/receipts.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { Turn, TurnErrorCode } from './turn.ts'

const MODEL_CHARS_MAX = 40

/** The decisions of users about a turn that does not run. */
export const DECISIONS = [
  'retry',
  'again',
  'answer',
  'decline',
  'fresh',
  'shorten',
  'rerun',
] as const
export type Decision = (typeof DECISIONS)[number]

/** The data of these buttons: what to do, the turn and, of another model, its key. */
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

/** Makes the keyboard below a reply that is being written. */
export function stopKeyboard(turn: Labelled, texts: Texts): InlineKeyboardMarkup {
  return oneButton(turn, texts, { key: 'button-stop', action: 'stop', style: 'danger' })
}

/** Makes the same below a message of its own, which loses its button when that is pressed. */
export function stopFromBelowKeyboard(turn: Labelled, texts: Texts): InlineKeyboardMarkup {
  return oneButton(turn, texts, { key: 'button-stop-answer', action: 'halt', style: 'danger' })
}

/** Makes the keyboard below the words that a turn waits. */
export function takeBackKeyboard(turn: Labelled, texts: Texts): InlineKeyboardMarkup {
  return oneButton(turn, texts, { key: 'button-take-back', action: 'back' })
}

/** Makes the keyboard that has a turn answered again from below another message. */
export function retryKeyboard(turn: Labelled, texts: Texts): InlineKeyboardMarkup {
  return oneButton(turn, texts, { key: 'button-retry', action: 'retry' })
}

function oneButton(
  { id, languageCode }: Labelled,
  texts: Texts,
  { key, action, ...style }: { key: string; action: string; style?: 'danger' },
): InlineKeyboardMarkup {
  const button = { text: texts.t(languageCode, key), callback_data: `${action}:${id}`, ...style }
  return { inline_keyboard: [[button]] }
}

/**
 * Makes the keyboard below a turn that does not run, if there is anything to decide or to see: what it waits for one
 * below the other, then one quiet row, and the receipt where the cost is shown: it stays when the row goes, and the three
 * are too wide for one of a phone.
 */
export function endKeyboard(
  turn: Turn,
  offers: EndOffers,
  { texts, limitTexts }: { texts: Texts; limitTexts: Pick<LimitTexts, 'askButton'> },
): InlineKeyboardMarkup | undefined {
  const { limitReached, languageCode, id } = turn
  // An answer that a limit cut short is there: nothing is asked anew once the limit is raised.
  const unasked = turn.state === 'finished' ? undefined : id
  const asks =
    limitReached === null ? [] : [limitTexts.askButton(limitReached, languageCode, unasked)]
  const decisions = decisionsFor(turn)
    .filter((decision) => decision !== 'again')
    .map((decision) => ({
      text: texts.t(languageCode, `button-${decision}`),
      callback_data: `${decision}:${id}`,
    }))
  const { again } = offers
  const row = [
    ...(again.some(({ isSame }) => isSame)
      ? [{ text: texts.t(languageCode, 'button-row-again'), callback_data: `row:same:${id}` }]
      : []),
    ...(again.some(({ isSame }) => !isSame)
      ? [{ text: texts.t(languageCode, 'button-row-others'), callback_data: `row:others:${id}` }]
      : []),
  ]
  const { charge } = turn
  const receipt =
    offers.isCostShown && charge
      ? [[receiptButton({ turnId: id, ...charge }, languageCode, texts)]]
      : []
  const rows = [
    ...[...asks, ...decisions].map((button) => [button]),
    ...(row.length > 0 ? [row] : []),
    ...receipt,
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

const UNMENDED: ReadonlySet<string | null> = new Set([
  'model_misconfigured',
  'unauthorized',
  'not_this_service',
] satisfies TurnErrorCode[])

/** Returns the decisions that are open for a turn as it is. */
export function decisionsFor({
  kind,
  state,
  heldReason,
  errorCode,
  setAsideAt,
}: Pick<Turn, 'kind' | 'state' | 'heldReason' | 'errorCode' | 'setAsideAt'>): readonly Decision[] {
  if (setAsideAt !== null) return []
  switch (state) {
    case 'stopped':
    case 'interrupted':
      return ['retry']
    case 'failed':
      if (errorCode === 'message_too_long') return []
      // It would be refused again: another model may answer, or /retry once it was mended.
      return UNMENDED.has(errorCode) ? ['again'] : ['retry']
    case 'held':
      if (heldReason === 'late' || heldReason === 'price') return ['answer', 'decline']
      return heldReason === 'conversation_too_long' ? ['fresh', 'shorten'] : ['rerun']
    case 'finished':
      return kind === 'answer' ? ['again'] : []
    case 'waiting':
    case 'streaming':
    case 'declined':
      return []
  }
}
