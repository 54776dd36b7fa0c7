import { BotError, GrammyError } from 'grammy'
import { type LoggedError, toLoggedError } from '../../platform/log.ts'
import { toReason } from './failures.ts'

/**
 * Takes from an error what a log line may hold, without what people wrote: the same as everywhere else, and of
 * the Bot API's errors, which carry the whole call, the method and Telegram's reason.
 */
export function errorFacts(thrown: unknown): LoggedError {
  const error = thrown instanceof BotError ? thrown.error : thrown
  const facts = toLoggedError(error)
  if (!(error instanceof GrammyError)) return facts
  const { method, error_code, description } = error
  return { ...facts, message: `${method}: ${error_code} ${toReason(description)}` }
}
