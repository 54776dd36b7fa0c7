import { isatty } from 'node:tty'
import { type Clock, systemClock } from '../platform/time/clock.ts'

/** Signals of one key press, or of one service manager, come within a shorter time than this. */
const IMPATIENT_AFTER_MS = 5_000
/** The first signal begins the stop, and a second may be the same one: npm hands on what the terminal sent to both. */
const SIGNALS_MIN = 3

export interface StopSignalsDeps {
  /** Called at the first signal. */
  stop: () => void
  /** Called at a third signal or later, if its sender does not want to wait. */
  endNow: () => void
  clock?: Pick<Clock, 'now'>
}

/**
 * Makes the handler of signals to end: the first one stops the process, those after it change nothing, but
 * from the third on, more than 5 s after the first, one ends it at once.
 *
 * @returns A function that is called for each signal.
 */
export function createStopSignals({ stop, endNow, clock = systemClock }: StopSignalsDeps) {
  let signals = 0
  let firstMs = 0
  return (): void => {
    signals += 1
    if (signals === 1) {
      firstMs = clock.now()
      stop()
    } else if (signals >= SIGNALS_MIN && clock.now() - firstMs > IMPATIENT_AFTER_MS) endNow()
  }
}

/** Standard input, output and error. */
const STREAMS = [0, 1, 2]

export interface HangUpDeps {
  /** Called when the terminal of the process is gone. */
  stop: () => void
  /** Called when a person or a program sent the signal. */
  reload: () => void
  /** Checks whether a stream is a terminal at this moment: one that was closed is none any more. */
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
