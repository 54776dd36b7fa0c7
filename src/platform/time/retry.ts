import type { Clock } from './clock.ts'

/** Waits that double from the first to the longest, in milliseconds. */
export interface Backoff {
  firstMs: number
  maxMs: number
}

/**
 * Returns the wait after a failed attempt.
 *
 * @param attempts Attempts that have failed, the last included: ≥ 1.
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempts: number): number {
  return Math.min(firstMs * 2 ** (attempts - 1), maxMs)
}

/** How a failed step is tried again. */
export interface RetryOptions {
  clock: Pick<Clock, 'sleep'>
  signal?: AbortSignal | undefined
  /**
   * Returns the wait before the next attempt, or undefined if there is none. It may throw another error.
   *
   * @param attempts Attempts that have failed, the last included: ≥ 1.
   */
  delayAfter(error: unknown, attempts: number): number | undefined
}

/**
 * Repeats a step until it succeeds.
 *
 * @throws What the last attempt threw if no other is to follow; the signal's reason once it is aborted.
 */
export async function retry<T>(
  step: () => Promise<T>,
  { clock, signal, delayAfter }: RetryOptions,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted()
    try {
      return await step()
    } catch (error) {
      signal?.throwIfAborted()
      const delayMs = delayAfter(error, attempts)
      if (delayMs === undefined) throw error
      if (delayMs > 0) await clock.sleep(delayMs, signal)
    }
  }
}
