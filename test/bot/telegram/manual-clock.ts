import type { Clock } from '../../../src/bot/telegram/clock.ts'

export interface ManualClock extends Clock {
  /** Moves time and ends the sleeps that are over by then. */
  advance(ms: number): void
  /** Resolves once that many sleep. */
  untilAsleep(count?: number): Promise<void>
  /** How far away the end of the next sleep is; Infinity where nobody sleeps. */
  nextInMs(): number
}

/** Time that stands still until a test moves it. */
export function createManualClock(): ManualClock {
  let now = 0
  const sleepers = new Set<{ until: number; wake: () => void }>()
  let watchers: { count: number; resolve: () => void }[] = []
  return { now: () => now, sleep, advance, untilAsleep, nextInMs }

  function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { until: now + delayMs, wake: resolve }
    const abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    else sleepers.add(sleeper)
    signal?.addEventListener('abort', abort, { once: true })
    watchers = watchers.filter(({ count, resolve: seen }) => {
      if (sleepers.size < count) return true
      seen()
      return false
    })
    return promise.finally(() => {
      sleepers.delete(sleeper)
      signal?.removeEventListener('abort', abort)
    })
  }

  function advance(ms: number): void {
    now += ms
    for (const { until, wake } of sleepers) if (until <= now) wake()
  }

  function nextInMs(): number {
    return Math.max(0, Math.min(...Array.from(sleepers, ({ until }) => until)) - now)
  }

  function untilAsleep(count = 1): Promise<void> {
    if (sleepers.size >= count) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    watchers.push({ count, resolve })
    return promise
  }
}
