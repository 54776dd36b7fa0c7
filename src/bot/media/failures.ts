import { shorten } from '../texts/shorten.ts'

const MESSAGE_CHARS_MAX = 300

/** The reason why an order ends without a result, and what becomes of its charge. */
export interface OrderFailure {
  /**
   * The HTTP status of a refused creation, or a failed task's own code. Those below zero are ours: the
   * service sends none.
   */
  code: number
  /** The service's own words; shown to the user, never logged. */
  message?: string | undefined
  /**
   * `none`: nothing was charged. `estimated`: the charge is recorded, because the service may have charged.
   * `reversal`: it is taken back, as the service does. `write_off`: it is taken back although the service
   * keeps the price. `kept`: the result exists, but could not be shown.
   */
  money: 'none' | 'estimated' | 'reversal' | 'write_off' | 'kept'
  /** The user cannot be reached, so that the order ends with it. */
  isEnd?: true
}

/** There may be a task: the service did not say. */
export const OUTCOME_UNKNOWN: OrderFailure = { code: -1, money: 'estimated' }
/** The task did not end in time. */
export const OVERDUE: OrderFailure = { code: -2, money: 'write_off' }
/** The service does not know the task any more. */
export const TASK_LOST: OrderFailure = { code: -3, money: 'write_off' }
/** The result exists, and there is no way to show it. */
export const UNDELIVERABLE: OrderFailure = { code: -4, money: 'write_off' }
/** The result exists, and its chat accepted nothing for a month: the service keeps the price, and so do we. */
export const CHAT_UNREACHABLE: OrderFailure = { code: -5, money: 'kept', isEnd: true }
/** Its user could not be reached when the order was taken. */
export const CHAT_UNREACHABLE_EARLY: OrderFailure = { code: -6, money: 'none', isEnd: true }

/** The service refused to create the task. Nothing was charged. */
export function refused(status: number, detail?: string): OrderFailure {
  return { code: status, message: cut(detail), money: 'none' }
}

/** The task ended in `fail`. The service gives the money back, and so do we. */
export function taskFailed({ code, message }: { code: number; message: string }): OrderFailure {
  return { code, message: cut(message), money: 'reversal' }
}

function cut(text = ''): string | undefined {
  return shorten(text.trim(), MESSAGE_CHARS_MAX) || undefined
}
