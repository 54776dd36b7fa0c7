import type { Clock } from '../../platform/time/clock.ts'

/** The reason with which a step is aborted when its time is over. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Gives a step a time by the playground's clock.
 *
 * @param step Stops when its signal is aborted, after `timeoutMs` or with `signal`.
 * @throws What the step throws: a `TimeoutError` if it took too long.
 */
export async function withTimeout<T>(
  step: (signal: AbortSignal) => Promise<T>,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<T> {
  const ended = new AbortController()
  const late = new AbortController()
  clock.sleep(timeoutMs, AbortSignal.any([ended.signal, signal])).then(
    () => late.abort(new TimeoutError(`Not done within ${timeoutMs} ms`)),
    () => {}, // The step was quicker, or is aborted by its caller.
  )
  try {
    return await step(AbortSignal.any([late.signal, signal]))
  } finally {
    ended.abort()
  }
}
