import { isatty } from 'node:tty'
import { type Clock, systemClock } from '../platform/time/clock.ts'

/** Signals of one key press come within a shorter time: npm hands on what the terminal sent to both. */
const PRESS_MS = 1_000

export interface StopSignalsDeps {
  stop: () => void
  hurry: () => void
  endNow: () => void
  clock?: Pick<Clock, 'now'>
}

/**
 * Makes the handler of signals to end: the first stops the process, the second breaks off what it waits for, the third
 * ends it at once. One that comes within a second of the last that counted is of the same key press, and changes nothing.
 *
 * @returns A function that is called for each signal.
 */
export function createStopSignals({
  stop,
  hurry,
  endNow,
  clock = systemClock,
}: StopSignalsDeps): () => void {
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

export interface HangUpDeps {
  stop: () => void
  reload: () => void
  isTerminal?: (stream: number) => boolean
}

/**
 * Makes the handler of SIGHUP. A terminal that is closed sends it, and the person who closes it means to end what runs
 * there. Daemons have no terminal, so for them it has come to mean: read your configuration again. The streams that the
 * process began with show which: if one of them was a terminal and is none any more, the terminal was closed.
 * A process begun by `nohup` has none of them, and lives on.
 *
 * @returns A function that is called for each SIGHUP.
 */
export function createHangUp({ stop, reload, isTerminal = isatty }: HangUpDeps): () => void {
  const terminals = STREAMS.filter(isTerminal)
  return () => {
    if (terminals.every(isTerminal)) reload()
    else stop()
  }
}
