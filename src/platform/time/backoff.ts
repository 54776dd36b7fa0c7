/** Waits that double from the first to the longest, in milliseconds. */
export interface Backoff {
  firstMs: number
  maxMs: number
}

/**
 * How long to wait after a failed attempt.
 *
 * @param attempts Attempts that have failed, the last included: ≥ 1.
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempts: number): number {
  return Math.min(firstMs * 2 ** (attempts - 1), maxMs)
}
