import type { Logger } from 'pino'
import { errorFacts } from '../error-facts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../errors.ts'

/**
 * Sends what is not worth sending twice: a chat that cannot be reached, and a send whose outcome is
 * unknown, are left at that; then it resolves with undefined.
 *
 * @param ifLost The text of the log line then.
 * @throws Everything else that `send` throws.
 */
export async function sendBestEffort<T>(
  send: () => Promise<T>,
  { chatId, ifLost, log }: { chatId: number; ifLost: string; log: Logger },
): Promise<T | undefined> {
  try {
    return await send()
  } catch (error) {
    const isLost = error instanceof ChatUnreachableError || error instanceof SendOutcomeUnknownError
    if (!isLost) throw error
    log.info({ ...errorFacts(error), chatId }, ifLost)
    return undefined
  }
}
