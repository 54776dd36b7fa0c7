import { type Clock, systemClock } from './clock.ts'
import { settleWithin } from './graceful-stop.ts'

/**
 * How long all parts together may take beyond their time. One that never ends, such as a pool whose connection hangs,
 * is left behind.
 */
const OVERRUN_MS_MAX = 5_000

/** Ends a part, in at most the given time. What it takes beyond that is at most `overrunMs`: then it is left behind. */
type Stop = (timeoutMs: number, overrunMs: number) => Promise<void>

export type Lifecycle = ReturnType<typeof createLifecycle>

/**
 * Begins a process's life, from the first of its parts that is started to the end of all. Nothing runs yet.
 *
 * @param stopMs The time that all parts together have for their ends, where `stop()` is given none.
 * @param onError Called with the error of a part that could not end; the others are ended all the same.
 */
export function createLifecycle({
  stopMs,
  onError,
  clock = systemClock,
}: {
  stopMs: number
  onError: (error: unknown) => void
  clock?: Pick<Clock, 'now' | 'sleep'>
}) {
  const stops: Stop[] = []
  let hasBegunToStop = false
  let stopped: Promise<void> | undefined
  return { add, isStopping, stop }

  /** Has a part that was just started ended by `stop()`, before those that were started earlier. */
  function add(stop: Stop): void {
    stops.push(stop)
  }

  /** Returns true from the first call of `stop()` on. */
  function isStopping(): boolean {
    return hasBegunToStop
  }

  /**
   * Ends every part, the last started first. Each gets what is left of the time, and half of what is left of the
   * overrun; the last one gets all of it. So a part that hangs leaves those after it a chance, and several that hang
   * take no longer than one. Safe to repeat.
   *
   * @param timeoutMs The time that all parts together have; `stopMs` by default.
   * @param overrunMs How long all parts together may take beyond that.
   */
  function stop(timeoutMs = stopMs, overrunMs = OVERRUN_MS_MAX): Promise<void> {
    hasBegunToStop = true
    stopped ??= stopAll(clock.now() + timeoutMs, overrunMs)
    return stopped
  }

  async function stopAll(until: number, overrunMs: number): Promise<void> {
    // A start that is under way may add parts meanwhile.
    for (let stopLast = stops.pop(); stopLast !== undefined; stopLast = stops.pop()) {
      const timeoutMs = Math.max(0, until - clock.now())
      const lateMs = Math.max(0, clock.now() - until)
      const leftMs = Math.max(0, overrunMs - lateMs)
      const shareMs = stops.length === 0 ? leftMs : leftMs / 2
      const ending = stopLast(timeoutMs, shareMs).catch(onError)
      if (await settleWithin([ending], timeoutMs + shareMs, clock)) continue
      onError(new Error(`Cannot stop a part: it has not ended ${shareMs} ms after its time`))
    }
  }
}
