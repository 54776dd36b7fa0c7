import { type Clock, systemClock } from './clock.ts'
import { settleWithin } from './graceful-stop.ts'

/**
 * How long all parts together may take beyond their time. One that never ends, such as a pool whose connection hangs,
 * is left behind.
 */
const OVERRUN_MS_MAX = 5_000

/**
 * Ends a part, in at most the given time. What it takes beyond that is at most `overrunMs`: then it is left behind. It is
 * called again with what is left where there is suddenly less time.
 */
type Stop = (timeoutMs: number, overrunMs: number) => Promise<void>

export type Lifecycle = ReturnType<typeof createLifecycle>

/**
 * Begins a process's life, from the first of its parts that is started to the end of all. Nothing runs yet.
 *
 * @param drainMs How long all goes on after the first `stop()`, so that what looks whether this process is stopping
 *   can see it.
 * @param stopMs The time that all parts together have for their ends after that, where `stop()` is given none.
 * @param onError Called with the error of a part that could not end; the others are ended all the same.
 */
export function createLifecycle({
  drainMs = 0,
  stopMs,
  onError,
  clock = systemClock,
}: {
  drainMs?: number | undefined
  stopMs: number
  onError: (error: unknown) => void
  clock?: Pick<Clock, 'now' | 'sleep'>
}) {
  const stops: Stop[] = []
  let untilMs = Number.POSITIVE_INFINITY
  let hurry = new AbortController()
  let hasBegunToStop = false
  let stopped: Promise<void> | undefined
  return { add, isStopping, stop }

  function add(stop: Stop): void {
    stops.push(stop)
  }

  function isStopping(): boolean {
    return hasBegunToStop
  }

  /**
   * Ends every part, the last started first. Each gets what is left of the time, and half of what is left of the
   * overrun; the last one gets all of it. So a part that hangs leaves those after it a chance, and several that hang
   * take no longer than one. Safe to repeat: with less time than is left, all ends within that.
   *
   * @param timeoutMs The time that all parts together have; by default `stopMs`, after `drainMs`.
   * @param overrunMs How long all parts together may take beyond that.
   */
  function stop(timeoutMs?: number, overrunMs = OVERRUN_MS_MAX): Promise<void> {
    hasBegunToStop = true
    const isDrained = stopped !== undefined || timeoutMs !== undefined || drainMs === 0
    shorten(clock.now() + (timeoutMs ?? (isDrained ? stopMs : drainMs + stopMs)))
    stopped ??= isDrained ? stopAll(overrunMs) : drain().then(() => stopAll(overrunMs))
    return stopped
  }

  function shorten(toMs: number): void {
    if (toMs >= untilMs) return
    untilMs = toMs
    hurry.abort()
    hurry = new AbortController()
  }

  async function drain(): Promise<void> {
    await clock.sleep(drainMs, hurry.signal).catch(() => {})
  }

  async function stopAll(overrunMs: number): Promise<void> {
    // A start that is under way may add parts meanwhile.
    for (let stopLast = stops.pop(); stopLast !== undefined; stopLast = stops.pop()) {
      await stopPart(stopLast, overrunMs)
    }
  }

  async function stopPart(stopLast: Stop, overrunMs: number): Promise<void> {
    const endings: Promise<unknown>[] = []
    for (let isHurried = true; isHurried; ) {
      const { signal } = hurry
      const timeoutMs = Math.max(0, untilMs - clock.now())
      const lateMs = Math.max(0, clock.now() - untilMs)
      const leftMs = Math.max(0, overrunMs - lateMs)
      const shareMs = stops.length === 0 ? leftMs : leftMs / 2
      endings.push(stopLast(timeoutMs, shareMs).catch(onError))
      const isEnded = await settleWithin(endings, timeoutMs + shareMs, clock, signal)
      isHurried = signal.aborted && !isEnded
      if (isEnded || isHurried) continue
      onError(new Error(`Cannot stop a part: it has not ended ${shareMs} ms after its time`))
    }
  }
}
