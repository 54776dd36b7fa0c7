export interface Clock {
  /** Milliseconds that only ever grow, for pacing and waits. Its zero means nothing. */
  now(): number
  /** The date and time of day, for records. Corrections of the machine's clock may set it back. */
  date(): Date
  /** Resolves after `delayMs`, soon where that is not positive; rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  // Without the error that `node:timers/promises` makes for each wait that is aborted.
  sleep(delayMs, signal) {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    // A wait that is computed from an instant may have ended.
    const timer = setTimeout(end, Math.max(0, delayMs))
    signal?.addEventListener('abort', leave, { once: true })
    return promise

    function end(): void {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
  },
}

export type Age = () => number

/** Grows an age that the database has just returned by the monotonic clock, without a date of this machine. */
export function growAge(ageMs: number, clock: Pick<Clock, 'now'>): Age {
  const readAt = clock.now()
  return () => ageMs + clock.now() - readAt
}
