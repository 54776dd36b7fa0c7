import { GrammyError, HttpError } from 'grammy'
import { DATABASE_BACKOFF } from '../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble } from '../../platform/database/trouble.ts'
import type { TroubleLog } from '../../platform/fold-repeats.ts'
import { backoffMs, type RetryOptions, retry } from '../../platform/time/retry.ts'
import { errorFacts } from './error-facts.ts'
import { SettingRefusedError } from './errors.ts'
import { readFailure } from './failures.ts'

const BACKOFF = { firstMs: 500, maxMs: 30_000 }

interface KeepTryingOptions extends Pick<RetryOptions, 'clock' | 'signal'> {
  log: Pick<TroubleLog, 'warn'>
}

/**
 * Repeats a step without which the bot cannot go on, ever slower up to a bound.
 *
 * @throws {SettingRefusedError} If waiting would not help; the signal's reason if it aborted.
 */
export function keepTrying<T>(
  action: string,
  step: () => Promise<T>,
  { clock, log, signal }: KeepTryingOptions,
): Promise<T> {
  return retry(step, { clock, signal, delayAfter })

  function delayAfter(error: unknown, attempts: number): number {
    const backoff = isDatabaseTrouble(error) ? DATABASE_BACKOFF : BACKOFF
    const delayMs = statedDelayMs(error) ?? backoffMs(backoff, attempts)
    log.warn({ ...errorFacts(error), action, attempts, delayMs }, 'trying again')
    return delayMs
  }
}

function statedDelayMs(error: unknown): number | undefined {
  if (error instanceof SettingRefusedError) throw error
  if (!(error instanceof GrammyError || error instanceof HttpError)) return undefined
  const failure = readFailure(error)
  if (failure.type === 'flooded') return failure.retryAfterMs
  const isUnknownToken =
    failure.type === 'refused' && (failure.status === 401 || failure.status === 404)
  if (isUnknownToken) throw new SettingRefusedError('BOT_TOKEN', 'it does not know this token')
  return undefined
}
