/** Time that runs only when a test moves it. It begins with 0. */
export interface ManualClock {
  now(): number
  date(): Date
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /** Moves time in one leap and ends the sleeps that are over by then, the shortest first. */
  advance(ms: number): void
  /** Lets that much time pass, from one sleep's end to the next, with all that follows from each. */
  run(ms: number): Promise<void>
  untilAsleep(count?: number): Promise<void>
  nextInMs(): number
}

export function createManualClock(): ManualClock {
  let now = 0
  const sleepers = new Set<{ until: number; wake: () => void }>()
  let watchers: { count: number; resolve: () => void }[] = []
  return { now: () => now, date: () => new Date(now), sleep, advance, run, untilAsleep, nextInMs }

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
    const over = [...sleepers].filter(({ until }) => until <= now)
    for (const { wake } of over.sort((a, b) => a.until - b.until)) wake()
  }

  async function run(ms: number): Promise<void> {
    const end = now + ms
    for (;;) {
      await new Promise<void>((done) => setImmediate(done))
      const nextMs = nextInMs()
      if (now + nextMs > end) break
      advance(nextMs)
    }
    now = end
  }

  function untilAsleep(count = 1): Promise<void> {
    if (sleepers.size >= count) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    watchers.push({ count, resolve })
    return promise
  }

  function nextInMs(): number {
    return Math.max(0, Math.min(...Array.from(sleepers, ({ until }) => until)) - now)
  }
}
