import type { InlineKeyboardMarkup } from 'grammy/types'
import { formatAbout } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { receiptButton } from '../spend/receipts.ts'
import type { Texts } from '../texts/texts.ts'
import { DECISIONS, type Decision, decisionsFor, type Turn } from './turn.ts'

/** `halt` is Stop below another message, `back` is Take back below the line that a turn waits. */
const TURN_BUTTONS = {
  stop: { key: 'button-stop', style: 'danger' },
  halt: { key: 'button-stop-answer', style: 'danger' },
  back: { key: 'button-take-back' },
  retry: { key: 'button-retry' },
} as const

export const STOP_DATA = /^(stop|halt|back):(\d{1,18})$/
export const DECISION_DATA = new RegExp(`^(${DECISIONS.join('|')}):(\\d{1,18})$`)

type Labelled = Pick<Turn, 'id' | 'languageCode'>

interface EndOffers {
  isLast: boolean
  isCostShown: boolean
  /** 0 or undefined if the cost is not known. */
  againMicroRub?: bigint | undefined
}

export function turnButton(
  action: keyof typeof TURN_BUTTONS,
  { id, languageCode }: Labelled,
  texts: Texts,
): InlineKeyboardMarkup {
  const { key, ...style } = TURN_BUTTONS[action]
  const button = { text: texts.t(languageCode, key), callback_data: `${action}:${id}`, ...style }
  return { inline_keyboard: [[button]] }
}

function keyOf(decision: Decision): string {
  return decision === 'again' ? 'button-answer-again' : `button-${decision}`
}

export function endKeyboard(
  turn: Turn,
  { isLast, isCostShown, againMicroRub = 0n }: EndOffers,
  { texts, limitTexts }: { texts: Texts; limitTexts: Pick<LimitTexts, 'askButton'> },
): InlineKeyboardMarkup | undefined {
  const { limitReached, languageCode, id, charge } = turn
  // An answer that a limit cut short is there: no question is asked anew once the limit is raised.
  const unasked = turn.state === 'finished' ? undefined : id
  const amount = againMicroRub > 0n ? formatAbout(againMicroRub, languageCode) : ''
  const decisions = decisionsFor(turn).filter((decision) => decision !== 'again' || isLast)
  const buttons = [
    ...(limitReached ? [limitTexts.askButton(limitReached, languageCode, unasked)] : []),
    ...decisions.map((decision) => ({
      text: texts.t(languageCode, keyOf(decision), { amount }).trim(),
      callback_data: `${decision}:${id}`,
    })),
    ...(isCostShown && charge
      ? [receiptButton({ turnId: id, ...charge }, languageCode, texts)]
      : []),
  ]
  return buttons.length === 0 ? undefined : { inline_keyboard: buttons.map((one) => [one]) }
}
