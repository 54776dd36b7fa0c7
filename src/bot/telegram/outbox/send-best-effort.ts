import type { Logger } from 'pino'
import { errorFacts } from '../../error-facts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../errors.ts'

/**
 * Says what is not worth saying twice: a chat that cannot be reached, and a send of which nobody
 * knows whether it arrived, are left at that.
 *
 * @param ifLost What the log is told then.
 * @throws Whatever else went wrong.
 */
export async function sendBestEffort(
  say: () => Promise<unknown>,
  { chatId, ifLost, log }: { chatId: number; ifLost: string; log: Logger },
): Promise<void> {
  try {
    await say()
  } catch (error) {
    const isLost = error instanceof ChatUnreachableError || error instanceof SendOutcomeUnknownError
    if (!isLost) throw error
    log.info({ ...errorFacts(error), chatId }, ifLost)
  }
}
