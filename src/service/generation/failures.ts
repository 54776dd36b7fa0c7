import type { FileRefusal } from '../../platform/http/fetch-file.ts'
import type { TaskFailure } from '../ledger/tasks.ts'

const ERROR_CHARS_MAX = 500

export const TOO_LATE: TaskFailure = { code: 504, message: 'The provider did not finish in time.' }
export const NOT_THERE: TaskFailure = {
  code: 503,
  message: 'The provider could not be reached in time.',
}
/** Work has its name from the provider that began it. Work of the same name at another provider is another customer's. */
export const MAKER_GONE: TaskFailure = {
  code: 502,
  message: 'The provider that began the work is not asked any more.',
}
/** The provider refuses for reasons that are between it and the operator. */
export const NOT_TAKEN: TaskFailure = { code: 502, message: 'The provider takes no work now.' }
export const NO_RESULT: TaskFailure = {
  code: 502,
  message: 'The provider finished without a result.',
}
/** The failure for each reason why a result was refused. */
export const REFUSED: Readonly<Record<FileRefusal, TaskFailure>> = {
  not_allowed: {
    code: 502,
    message: 'The result of the provider is where nothing is fetched from.',
  },
  too_large: { code: 502, message: 'The result of the provider is too large.' },
  wrong_media: {
    code: 502,
    message: 'The result of the provider is no file of the kind asked for.',
  },
}
/** Our own storage did not take it until the deadline. */
export const NO_ROOM: TaskFailure = {
  code: 503,
  message: 'The result could not be stored in time.',
}
/** Nothing is ordered whose result could not be stored. */
export const DISK_SHORT: TaskFailure = { code: 503, message: 'There is no room for results now.' }
export const NOT_COPIED: TaskFailure = {
  code: 502,
  message: 'The result of the provider could not be kept.',
}

/** Cuts a message to what can be stored: PostgreSQL keeps neither U+0000 nor half of a surrogate pair. */
export function toStorable(message: string): string {
  return message.replaceAll('\0', '').slice(0, ERROR_CHARS_MAX).toWellFormed()
}
