import type { Clock } from './clock.ts'

export interface Backoff {
  firstMs: number
  maxMs: number
}

/** Returns the wait after so many failed attempts (≥ 1): it doubles from the first to the longest. */
export function backoffMs({ firstMs, maxMs }: Backoff, attempts: number): number {
  return Math.min(firstMs * 2 ** (attempts - 1), maxMs)
}

export interface RetryOptions {
  clock: Pick<Clock, 'sleep'>
  signal?: AbortSignal | undefined
  /** Returns the wait before the next attempt, or undefined if there is none. It may throw another error. */
  delayAfter(error: unknown, attempts: number): number | undefined
}

/** Repeats a step until it succeeds. @throws The last attempt's error, or the signal's reason. */
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
