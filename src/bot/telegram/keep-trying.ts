import { GrammyError, HttpError } from 'grammy'
import type { Logger } from 'pino'
import { errorFacts } from '../error-facts.ts'
import type { Clock } from './clock.ts'
import { readFailure } from './failures.ts'

const RETRY_DELAY_MS = 500
const RETRY_DELAY_MS_MAX = 30_000

/** The token was revoked, or never was one. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError'
  readonly code = 'token_refused'

  constructor() {
    super('Cannot reach Telegram: it does not know the bot token')
  }
}

/**
 * Repeats a step without which the bot cannot go on, ever slower up to a bound.
 *
 * @throws {TokenRefusedError} If waiting would not help; the signal's reason if it aborted.
 */
export async function keepTrying<T>(
  action: string,
  step: () => Promise<T>,
  { clock, log, signal }: { clock: Clock; log: Logger; signal: AbortSignal },
): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    signal.throwIfAborted()
    try {
      return await step()
    } catch (error) {
      signal.throwIfAborted()
      const delayMs = delayAfter(error, attempts)
      log.warn({ ...errorFacts(error), action, attempts, delayMs }, 'trying again')
      await clock.sleep(delayMs, signal)
    }
  }
}

function delayAfter(error: unknown, attempts: number): number {
  const delayMs = Math.min(RETRY_DELAY_MS * 2 ** attempts, RETRY_DELAY_MS_MAX)
  if (!(error instanceof GrammyError || error instanceof HttpError)) return delayMs
  const failure = readFailure(error)
  if (failure.type === 'flooded') return failure.retryAfterMs
  const isUnknownToken =
    failure.type === 'refused' && (failure.status === 401 || failure.status === 404)
  if (isUnknownToken) throw new TokenRefusedError()
  return delayMs
}
