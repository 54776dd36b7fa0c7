import { backoffMs } from '../../platform/time/backoff.ts'
import { type RetryOptions, retry } from '../../platform/time/retry.ts'
import { RateLimitedError, ServiceUnavailableError } from './errors.ts'

/** Attempts of one call, the first included. */
const CALL_ATTEMPTS_MAX = 3
/** Longest that one call waits between its attempts, all waits together. A longer wait belongs to the caller. */
const RETRY_WAIT_MS_MAX = 10_000

const BACKOFF = { firstMs: 500, maxMs: 1000 }

interface RefusalRetryOptions extends Pick<RetryOptions, 'clock' | 'signal'> {
  retryRateLimited?: boolean | undefined
}

/**
 * Makes a call again while the service answers 429 or 503, within a bound on attempts and on waiting.
 *
 * Those two answers come before anything was done or charged; after any other failure a repeat
 * could do the work twice.
 *
 * @throws What the last attempt threw; at once when the service asks for a longer wait than is left.
 */
export function retryRefused<T>(
  attempt: () => Promise<T>,
  { clock, signal, retryRateLimited = true }: RefusalRetryOptions,
): Promise<T> {
  let waitedMs = 0
  return retry(attempt, { clock, signal, delayAfter })

  function delayAfter(error: unknown, attempts: number): number | undefined {
    if (!isRefusal(error) || attempts >= CALL_ATTEMPTS_MAX) return undefined
    if (error instanceof RateLimitedError && !retryRateLimited) return undefined
    const delayMs = error.retryAfterMs ?? backoffMs(BACKOFF, attempts)
    waitedMs += delayMs
    return waitedMs > RETRY_WAIT_MS_MAX ? undefined : delayMs
  }
}

/** A 429, or a 503 that was answered. One without a status never got an answer, and another 5xx says too little. */
function isRefusal(error: unknown): error is RateLimitedError | ServiceUnavailableError {
  if (error instanceof RateLimitedError) return true
  return error instanceof ServiceUnavailableError && error.status === 503
}
