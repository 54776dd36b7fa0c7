import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'

/** The machine's time, that many times as fast: for waits that a test does not look at. */
export function createFastClock(times: number): Clock {
  return {
    now: () => systemClock.now() * times,
    date: systemClock.date,
    sleep: (delayMs, signal) => systemClock.sleep(delayMs / times, signal),
  }
}
