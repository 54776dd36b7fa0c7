import { type Clock, systemClock } from './clock.ts'
import { settleWithin } from './graceful-stop.ts'

/** How long a part may take beyond its time; one that never ends, such as a pool whose connection hangs, is left behind. */
const OVERRUN_MS_MAX = 5_000

/** Ends a part, in at most the given time. */
type Stop = (timeoutMs: number) => Promise<void>

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
   * Ends every part, the last started first. Each gets what is left of the time. Safe to repeat.
   *
   * @param timeoutMs The time that all parts together have; `stopMs` by default.
   */
  function stop(timeoutMs = stopMs): Promise<void> {
    hasBegunToStop = true
    stopped ??= stopAll(clock.now() + timeoutMs)
    return stopped
  }

  async function stopAll(until: number): Promise<void> {
    // A start that is under way may add parts meanwhile.
    for (let stopLast = stops.pop(); stopLast !== undefined; stopLast = stops.pop()) {
      const timeoutMs = Math.max(0, until - clock.now())
      const ending = stopLast(timeoutMs).catch(onError)
      if (await settleWithin([ending], timeoutMs + OVERRUN_MS_MAX, clock)) continue
      onError(new Error(`Cannot stop a part: it has not ended ${OVERRUN_MS_MAX} ms after its time`))
    }
  }
}
