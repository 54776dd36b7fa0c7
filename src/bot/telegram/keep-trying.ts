import { GrammyError, HttpError } from 'grammy'
import type { Logger } from 'pino'
import type { Clock } from '../../time/clock.ts'
import { errorFacts } from '../error-facts.ts'
import { SettingRefusedError } from './errors.ts'
import { readFailure } from './failures.ts'

const RETRY_DELAY_MS = 500
const RETRY_DELAY_MS_MAX = 30_000

/**
 * Repeats a step without which the bot cannot go on, ever slower up to a bound.
 *
 * @param isPassing Whether an error is waited out; every one if it is missing.
 * @throws {SettingRefusedError} If waiting would not help; the signal's reason if it aborted.
 */
export async function keepTrying<T>(
  action: string,
  step: () => Promise<T>,
  {
    clock,
    log,
    signal,
    isPassing = () => true,
  }: { clock: Clock; log: Logger; signal: AbortSignal; isPassing?: (error: unknown) => boolean },
): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    signal.throwIfAborted()
    try {
      return await step()
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      const delayMs = delayAfter(error, attempts)
      log.warn({ ...errorFacts(error), action, attempts, delayMs }, 'trying again')
      await clock.sleep(delayMs, signal)
    }
  }
}

function delayAfter(error: unknown, attempts: number): number {
  if (error instanceof SettingRefusedError) throw error
  const delayMs = Math.min(RETRY_DELAY_MS * 2 ** attempts, RETRY_DELAY_MS_MAX)
  if (!(error instanceof GrammyError || error instanceof HttpError)) return delayMs
  const failure = readFailure(error)
  if (failure.type === 'flooded') return failure.retryAfterMs
  const isUnknownToken =
    failure.type === 'refused' && (failure.status === 401 || failure.status === 404)
  if (isUnknownToken) {
    throw new SettingRefusedError('BOT_TOKEN', 'it does not know this token')
  }
  return delayMs
}
