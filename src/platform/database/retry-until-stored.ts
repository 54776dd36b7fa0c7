import { backoffMs } from '../time/backoff.ts'
import { type RetryOptions, retry } from '../time/retry.ts'
import { isDatabaseTrouble } from './trouble.ts'

/** The waits between attempts: an answer is delayed by at most the longest after the database is back. */
export const DATABASE_BACKOFF = { firstMs: 500, maxMs: 5_000 }

export interface RetryUntilStoredOptions extends Pick<RetryOptions, 'clock' | 'signal'> {
  /** Called at each failed attempt, with how long the next one waits. */
  onTrouble: (error: unknown, delayMs: number) => void
}

/**
 * Repeats a write that must not get lost, however long the database is away.
 *
 * @throws What the database says of a mistake in a statement; the signal's reason once it is aborted.
 */
export function retryUntilStored<T>(
  write: () => Promise<T>,
  { clock, signal, onTrouble }: RetryUntilStoredOptions,
): Promise<T> {
  return retry(write, { clock, signal, delayAfter })

  function delayAfter(error: unknown, attempts: number): number | undefined {
    if (!isDatabaseTrouble(error)) return undefined
    const delayMs = backoffMs(DATABASE_BACKOFF, attempts)
    onTrouble(error, delayMs)
    return delayMs
  }
}
