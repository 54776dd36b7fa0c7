import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Texts } from '../locales/texts.ts'
import type { LimitTexts } from '../spend/limits/limit-texts.ts'
import type { Turn } from '../turns/turn.ts'

/** What users decide about a turn once it does not run. */
export const DECISIONS = ['retry', 'answer', 'decline', 'fresh', 'shorten', 'rerun'] as const
export type Decision = (typeof DECISIONS)[number]

/** What a press of one of these buttons says: what to do, and the turn. */
export const STOP_DATA = /^stop:(\d{1,18})$/
export const STOP_FROM_BELOW_DATA = /^halt:(\d{1,18})$/
export const TAKE_BACK_DATA = /^back:(\d{1,18})$/
export const DECISION_DATA = new RegExp(`^(${DECISIONS.join('|')}):(\\d{1,18})$`)

type Labelled = Pick<Turn, 'id' | 'languageCode'>

/** Stands below a reply that is being written. */
export function stopKeyboard({ id, languageCode }: Labelled, texts: Texts): InlineKeyboardMarkup {
  const text = texts.t(languageCode, 'button-stop')
  return { inline_keyboard: [[{ text, callback_data: `stop:${id}` }]] }
}

/** The same below a message of its own, which has no button any more once it was pressed. */
export function stopFromBelowKeyboard({ id, languageCode }: Labelled, texts: Texts) {
  const text = texts.t(languageCode, 'button-stop-answer')
  return { inline_keyboard: [[{ text, callback_data: `halt:${id}` }]] }
}

/** Stands below the words that a turn waits. */
export function takeBackKeyboard({ id, languageCode }: Labelled, texts: Texts) {
  const text = texts.t(languageCode, 'button-take-back')
  return { inline_keyboard: [[{ text, callback_data: `back:${id}` }]] }
}

/** Stands below what the chat shows of a turn that does not run, if there is anything to decide. */
export function endKeyboard(
  turn: Turn,
  { texts, limitTexts }: { texts: Texts; limitTexts: Pick<LimitTexts, 'askButton'> },
): InlineKeyboardMarkup | undefined {
  const decisions = decisionsFor(turn)
  if (decisions.length === 0) return undefined
  const buttons = decisions.map((decision) => ({
    text: texts.t(turn.languageCode, `button-${decision}`),
    callback_data: `${decision}:${turn.id}`,
  }))
  const { limitReached, languageCode, id } = turn
  const asks = limitReached === null ? [] : [limitTexts.askButton(limitReached, languageCode, id)]
  // Long labels stand one below the other.
  return { inline_keyboard: [...asks, ...buttons].map((button) => [button]) }
}

/** Has a turn answered anew from below another message. */
export function retryKeyboard({ id, languageCode }: Labelled, texts: Texts): InlineKeyboardMarkup {
  const text = texts.t(languageCode, 'button-retry')
  return { inline_keyboard: [[{ text, callback_data: `retry:${id}` }]] }
}

/** What can be decided about a turn as it is. */
export function decisionsFor({
  state,
  heldReason,
  errorCode,
  setAsideAt,
}: Pick<Turn, 'state' | 'heldReason' | 'errorCode' | 'setAsideAt'>): readonly Decision[] {
  if (setAsideAt !== null) return []
  switch (state) {
    case 'stopped':
    case 'interrupted':
      return ['retry']
    case 'failed':
      return errorCode === 'message_too_long' ? [] : ['retry']
    case 'held':
      if (heldReason === 'late' || heldReason === 'price') return ['answer', 'decline']
      return heldReason === 'conversation_too_long' ? ['fresh', 'shorten'] : ['rerun']
    case 'waiting':
    case 'streaming':
    case 'finished':
    case 'declined':
      return []
  }
}
