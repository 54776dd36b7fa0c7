import {
  CallRefusedError,
  ChatMigratedError,
  ChatUnreachableError,
  FormattingRefusedError,
  SendOutcomeUnknownError,
} from '../errors.ts'
import { type CallFailure, isRefusal } from '../failures.ts'
import type { Body } from './body.ts'

/** Says why a message was not sent, or that its outcome is unknown. */
export function throwUnsent(failure: CallFailure, chatId: number, body?: Body): never {
  if (failure.type === 'unknown') throw new SendOutcomeUnknownError(chatId, failure.reason)
  return throwRefused(failure, chatId, body)
}

/** Makes the error of a refusal that its callers know by its class. */
export function throwRefused(failure: CallFailure, chatId: number, body?: Body): never {
  if (failure.type !== 'refused') throw new TypeError(`Cannot end a call that was ${failure.type}`)
  const { reason, status, migrateToChatId } = failure
  if (migrateToChatId !== undefined) throw new ChatMigratedError(chatId, migrateToChatId)
  const isForbidden = isRefusal(failure, 'richForbidden')
  // The bot was blocked or thrown out.
  const isShutOut = status === 403 || (!isForbidden && isRefusal(failure, 'unreachable'))
  if (isShutOut) throw new ChatUnreachableError(chatId, reason)
  // A method that the server does not know is younger than it.
  const isUnknown = status === 404 || isRefusal(failure, 'textMissing')
  const isUnsupported = isUnknown && body !== undefined && 'markdown' in body
  if (isUnsupported || isForbidden || (status === 400 && isRefusal(failure, 'formatting'))) {
    throw new FormattingRefusedError({ reason, isUnsupported, isForbidden })
  }
  throw new CallRefusedError(failure)
}
