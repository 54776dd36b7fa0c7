import {
  CallRefusedError,
  ChatMigratedError,
  ChatUnreachableError,
  FormattingRefusedError,
  SendOutcomeUnknownError,
} from '../errors.ts'
import {
  type CallFailure,
  isFormattingRefusal,
  isMethodUnknown,
  isTextMissing,
  isUnreachable,
} from '../failures.ts'
import type { Body } from './body.ts'

/** Says why a message was not sent, or that its outcome is unknown. */
export function throwUnsent(failure: CallFailure, chatId: number, body?: Body): never {
  if (failure.type === 'unknown') throw new SendOutcomeUnknownError(chatId, failure.reason)
  return throwRefused(failure, chatId, body)
}

/** Makes the error of a refusal that its callers know by its class. */
export function throwRefused(failure: CallFailure, chatId: number, body?: Body): never {
  if (failure.type !== 'refused') throw new TypeError(`Cannot end a call that was ${failure.type}`)
  const { reason, migrateToChatId } = failure
  if (migrateToChatId !== undefined) throw new ChatMigratedError(chatId, migrateToChatId)
  if (isUnreachable(failure)) throw new ChatUnreachableError(chatId, reason)
  if (body !== undefined && 'markdown' in body) {
    const isUnsupported = isMethodUnknown(failure) || isTextMissing(failure)
    if (isUnsupported) throw new FormattingRefusedError({ reason, isUnsupported })
  }
  if (isFormattingRefusal(failure)) {
    throw new FormattingRefusedError({ reason, isUnsupported: false })
  }
  throw new CallRefusedError(failure)
}
