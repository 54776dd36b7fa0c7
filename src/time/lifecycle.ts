import { type Clock, systemClock } from './clock.ts'

/** Ends a part, in at most the given time. */
type Stop = (timeoutMs: number) => Promise<void>

/** The parts of a process, from the first that is started to the end of all of them. */
export interface Lifecycle {
  /** Has a part that was just started ended by `stop()`, before those that were started earlier. */
  add(stop: Stop): void
  /** Says that every part is there. */
  markReady(): void
  /** From `markReady()` to `stop()`. */
  isReady(): boolean
  /** Ends every part, the last started first. Each gets what is left of the time. Safe to repeat. */
  stop(): Promise<void>
}

/**
 * Begins a process's life. Nothing runs yet.
 *
 * @param stopMs The time that all parts together have for their ends.
 * @param onError Told of a part that could not end; the others are ended all the same.
 */
export function createLifecycle({
  stopMs,
  onError,
  clock = systemClock,
}: {
  stopMs: number
  onError: (error: unknown) => void
  clock?: Pick<Clock, 'now'>
}): Lifecycle {
  const stops: Stop[] = []
  let phase: 'starting' | 'ready' | 'stopping' = 'starting'
  let stopped: Promise<void> | undefined
  return { add, markReady, isReady: () => phase === 'ready', stop }

  function add(stop: Stop): void {
    stops.push(stop)
  }

  function markReady(): void {
    if (phase === 'starting') phase = 'ready'
  }

  function stop(): Promise<void> {
    phase = 'stopping'
    stopped ??= stopAll()
    return stopped
  }

  async function stopAll(): Promise<void> {
    const until = clock.now() + stopMs
    // A start that is still under way may add parts meanwhile.
    for (let stopLast = stops.pop(); stopLast !== undefined; stopLast = stops.pop()) {
      await stopLast(Math.max(0, until - clock.now())).catch(onError)
    }
  }
}
