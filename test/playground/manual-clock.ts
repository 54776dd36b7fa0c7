import type { Clock } from '../../src/playground/clock.ts'

/** Time that stands still until a test moves it. */
export function createManualClock(startsAt = Date.UTC(2026, 0, 1)) {
  let time = startsAt
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const clock: Clock = { now: () => time, sleep }
  return { ...clock, advance }

  /** Wakes everybody whose time has come, in order. */
  function advance(byMs: number): void {
    const target = time + byMs
    for (;;) {
      const [next] = [...sleepers].sort((a, b) => a.until - b.until)
      if (next === undefined || next.until > target) break
      time = Math.max(time, next.until)
      sleepers.delete(next)
      next.wake()
    }
    time = target
  }

  function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { until: time + delayMs, wake: resolve }
    sleepers.add(sleeper)
    const end = () => {
      sleepers.delete(sleeper)
      reject(signal.reason)
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    return promise
  }
}
