import { shorten } from '../shorten.ts'

/** Codes below zero are ours: the service sends none. */
export const OUTCOME_UNKNOWN = -1
export const OVERDUE = -2
export const TASK_LOST = -3
export const UNDELIVERABLE = -4
const CHAT_UNREACHABLE = -5

const MESSAGE_CHARS_MAX = 300

/** Why an order ends without a clip, and what becomes of its charge. */
export interface OrderFailure {
  /** Of a refused creation its HTTP status, of a failed task the task's own code, or one of ours. */
  code: number
  /** The service's own words; shown to the user, never logged. */
  message?: string | undefined
  /**
   * `none`: nothing was charged. `reversed`: the charge is taken back. `estimated`: it is noted,
   * because the service may have charged. `kept`: the clip was made and only could not be shown.
   */
  money: 'none' | 'reversed' | 'estimated' | 'kept'
  /** The user cannot be told, so that the order ends with it. */
  isEnd?: true
}

/** The service refused to create the task. Nothing was charged. */
export function refused(status: number, detail?: string): OrderFailure {
  return { code: status, message: cut(detail), money: 'none' }
}

/** The task ended in `fail`. The service gives the money back, and so do we. */
export function taskFailed({ code, message }: { code: number; message: string }): OrderFailure {
  return { code, message: cut(message), money: 'reversed' }
}

/** There may be a task: the service did not say. */
export function outcomeUnknown(): OrderFailure {
  return { code: OUTCOME_UNKNOWN, money: 'estimated' }
}

/** There was a task, and there will be no clip. */
export function givenUp(
  code: typeof OVERDUE | typeof TASK_LOST | typeof UNDELIVERABLE,
): OrderFailure {
  return { code, money: 'reversed' }
}

/** The clip was made, and its user blocked the bot or is gone: the service keeps the price, and so do we. */
export function chatUnreachable(): OrderFailure {
  return { code: CHAT_UNREACHABLE, money: 'kept', isEnd: true }
}

/** Its user could not be reached when the order was taken. */
export function chatUnreachableEarly(): OrderFailure {
  return { code: CHAT_UNREACHABLE, money: 'none', isEnd: true }
}

function cut(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? undefined : shorten(trimmed, MESSAGE_CHARS_MAX)
}
