import type { Clock } from '../time/clock.ts'
import { backoffMs, type RetryOptions, retry } from '../time/retry.ts'
import { isDatabaseTrouble } from './trouble.ts'

export const DATABASE_BACKOFF = { firstMs: 500, maxMs: 5_000 }

interface RetryUntilStoredOptions extends Pick<RetryOptions, 'signal'> {
  clock: Pick<Clock, 'now' | 'sleep'>
  onTrouble?: (error: unknown, delayMs: number) => void
  /** How long after the first attempt others may begin. Default: for ever. */
  waitMs?: number
}

/** Repeats a write that must not get lost while the database is away. A wrong statement fails at once. */
export function retryUntilStored<T>(
  write: () => Promise<T>,
  options: RetryUntilStoredOptions,
): Promise<T> {
  const { clock, signal, onTrouble = () => {}, waitMs = Number.POSITIVE_INFINITY } = options
  const untilMs = clock.now() + waitMs
  return retry(write, { clock, signal, delayAfter })

  function delayAfter(error: unknown, attempts: number): number | undefined {
    if (!isDatabaseTrouble(error)) return undefined
    const delayMs = backoffMs(DATABASE_BACKOFF, attempts)
    if (clock.now() + delayMs > untilMs) return undefined
    onTrouble(error, delayMs)
    return delayMs
  }
}
