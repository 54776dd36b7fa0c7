import { RateLimitedError, ServiceUnavailableError } from './errors.ts'

/** Attempts of one call, the first included. */
export const ATTEMPTS_MAX = 3
/** Longest that one call waits between its attempts, all waits together. Longer queues belong to the caller. */
export const RETRY_WAIT_MS_MAX = 10_000

const FIRST_DELAY_MS = 500

/** Waits; rejects with the signal's reason when it aborts. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>

interface RetryOptions {
  sleep: Sleep
  signal: AbortSignal | undefined
  /** Whether a 429 is waited out here; true where it is not said. */
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
export async function retryRefused<T>(
  attempt: () => Promise<T>,
  { sleep, signal, retryRateLimited = true }: RetryOptions,
): Promise<T> {
  let waitedMs = 0
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof RateLimitedError && !retryRateLimited) throw error
      const delayMs = nextDelayMs(error, { attempts, waitedMs })
      if (delayMs === undefined) throw error
      await sleep(delayMs, signal)
      waitedMs += delayMs
    }
  }
}

/** Waits as long as the service asks, or 0.5 s, then 1 s. Undefined is: do not try again. */
export function nextDelayMs(
  error: unknown,
  { attempts, waitedMs }: { attempts: number; waitedMs: number },
): number | undefined {
  if (!isRefusal(error) || attempts >= ATTEMPTS_MAX) return undefined
  const delayMs = error.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (attempts - 1)
  return waitedMs + delayMs > RETRY_WAIT_MS_MAX ? undefined : delayMs
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 *
 * @param date The answer's own `Date` header. A date is counted from it, so that skewed clocks do no harm.
 * @returns Milliseconds to wait, ≥ 0; undefined if the header is missing or is neither.
 */
export function parseRetryAfter(
  header: string | undefined,
  { date, now }: { date: string | undefined; now: Date },
): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Date.parse() finds a date in almost anything; HTTP dates begin with the day of the week.
  const until = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const from = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, until - (Number.isNaN(from) ? now.getTime() : from))
}

/** A 503 that was answered. One without a status never got an answer, and a 5xx of another kind says too little. */
function isRefusal(error: unknown): error is RateLimitedError | ServiceUnavailableError {
  if (error instanceof RateLimitedError) return true
  return error instanceof ServiceUnavailableError && error.status === 503
}
