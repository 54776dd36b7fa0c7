import { isatty } from 'node:tty'
import { type Clock, systemClock } from '../platform/time/clock.ts'

/** Signals of one key press come within a shorter time: npm forwards a signal that the terminal sent to both. */
const PRESS_MS = 1_000

/**
 * Makes the handler of SIGINT and SIGTERM: the first stops the process, the second breaks off what the stop waits for, the
 * third ends it at once. Signals within a second are of the same key press.
 */
export function createStopSignals({
  stop,
  hurry,
  endNow,
  clock = systemClock,
}: {
  stop: () => void
  hurry: () => void
  endNow: () => void
  clock?: Pick<Clock, 'now'>
}): () => void {
  const steps = [stop, hurry]
  let countedMs = Number.NEGATIVE_INFINITY
  return () => {
    if (clock.now() - countedMs < PRESS_MS) return
    countedMs = clock.now()
    const step = steps.shift() ?? endNow
    step()
  }
}

const STREAMS = [0, 1, 2]

/**
 * Makes the handler of SIGHUP: it stops a process whose terminal was closed, and reloads the configuration of any other.
 * A standard stream that was a terminal at the start, and is none any more, shows that the terminal was closed.
 */
export function createHangUp({
  stop,
  reload,
  isTerminal = isatty,
}: {
  stop: () => void
  reload: () => void
  isTerminal?: (stream: number) => boolean
}): () => void {
  const terminals = STREAMS.filter(isTerminal)
  return () => {
    if (terminals.every(isTerminal)) reload()
    else stop()
  }
}
