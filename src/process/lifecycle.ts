import { isatty } from 'node:tty'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { settleWithin } from '../platform/time/graceful-stop.ts'

/** How long all parts together may take beyond their time. A part that never ends is left behind. */
const OVERRUN_MS_MAX = 5_000

/** Ends a part in `timeoutMs`, or else is left behind after `overrunMs` more. */
type Stop = (timeoutMs: number, overrunMs: number) => Promise<void>

export type Lifecycle = ReturnType<typeof createLifecycle>

/** Ends the parts of a process, the last started first. Load balancers see the stop during `drainMs`. */
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
  let stopped: Promise<void> | undefined
  const isStopping = () => stopped !== undefined
  return { add: (part: Stop) => void stops.push(part), isStopping, stop }

  /**
   * Gives each part the time left, and half of the overrun left: a part that hangs leaves the parts after it a chance.
   * @param timeoutMs Replaces the drain and `stopMs`.
   */
  function stop(timeoutMs?: number, overrunMs = OVERRUN_MS_MAX): Promise<void> {
    stopped ??= stopAll(timeoutMs, overrunMs)
    return stopped
  }

  async function stopAll(timeoutMs: number | undefined, overrunMs: number): Promise<void> {
    if (timeoutMs === undefined && drainMs > 0) await clock.sleep(drainMs)
    const untilMs = clock.now() + (timeoutMs ?? stopMs)
    // A start that is under way may add parts meanwhile.
    for (let part = stops.pop(); part !== undefined; part = stops.pop()) {
      const partMs = Math.max(0, untilMs - clock.now())
      const leftMs = Math.max(0, overrunMs - Math.max(0, clock.now() - untilMs))
      const shareMs = stops.length === 0 ? leftMs : leftMs / 2
      const ending = part(partMs, shareMs).catch(onError)
      if (await settleWithin([ending], partMs + shareMs, clock)) continue
      onError(new Error(`Cannot stop a part: it has not ended ${shareMs} ms after its time`))
    }
  }
}

/** npm forwards a signal that the terminal sent to both: signals within this time are of one key press. */
const PRESS_MS = 1_000

export function createStopSignals({
  stop,
  endNow,
  clock = systemClock,
}: {
  stop: () => void
  endNow: () => void
  clock?: Pick<Clock, 'now'>
}): () => void {
  let firstMs: number | undefined
  return () => {
    if (firstMs === undefined) {
      firstMs = clock.now()
      stop()
    } else if (clock.now() - firstMs >= PRESS_MS) endNow()
  }
}

/** Makes the handler of SIGHUP: it stops a process whose terminal (standard error) was closed, else reloads. */
export function createHangUp({
  stop,
  reload,
  isTerminal = () => isatty(2),
}: {
  stop: () => void
  reload: () => void
  isTerminal?: () => boolean
}): () => void {
  const hadTerminal = isTerminal()
  return () => {
    if (hadTerminal && !isTerminal()) stop()
    else reload()
  }
}
