import type { Clock } from '../../../src/bot/telegram/clock.ts'

export interface VirtualClock extends Clock {
  /** Lets that much time pass, from one sleep's end to the next, with all that follows from each. */
  run(ms: number): Promise<void>
}

/** Time that passes at once. */
export function createVirtualClock(): VirtualClock {
  let now = 0
  const sleepers = new Set<{ until: number; wake: () => void }>()
  return { now: () => now, sleep, run }

  function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { until: now + delayMs, wake: resolve }
    const abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    else sleepers.add(sleeper)
    signal?.addEventListener('abort', abort, { once: true })
    return promise.finally(() => {
      sleepers.delete(sleeper)
      signal?.removeEventListener('abort', abort)
    })
  }

  async function run(ms: number): Promise<void> {
    const end = now + ms
    for (;;) {
      await new Promise<void>((done) => setImmediate(done))
      const next = Math.min(...Array.from(sleepers, ({ until }) => until))
      if (next > end) break
      now = Math.max(now, next)
      for (const { until, wake } of sleepers) if (until <= now) wake()
    }
    now = end
  }
}
