import { type Clock, systemClock } from '../platform/time/clock.ts'

/** Signals of one key press, or of one service manager, come within a shorter time than this. */
const IMPATIENT_AFTER_MS = 5_000
/** The first begins the stop, and a second may be the same one: npm hands on what the terminal sent to both. */
const SIGNALS_MIN = 3

export interface StopSignalsDeps {
  /** Told of the first signal. */
  stop: () => void
  /** Told of a third one or later that shows that somebody does not want to wait. */
  endNow: () => void
  clock?: Pick<Clock, 'now'>
}

/**
 * Says what a signal to end means: the first one stops the process, those after it change nothing, but
 * from the third on, more than 5 s after the first, one ends it at once.
 *
 * @returns To be called for each signal.
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
