import type { Clock } from '../../../src/platform/time/clock.ts'

const STEP_MS = 1_000

/**
 * Time that passes only where somebody sleeps, second by second: what is due then happens before the next one.
 *
 * @param onStep Has happen what is due, after so many milliseconds more.
 */
export function createStepClock(onStep: (stepMs: number) => Promise<void>): Clock {
  const begun = Date.now()
  let passedMs = 0
  return {
    now: () => passedMs,
    date: () => new Date(begun + passedMs),
    async sleep(delayMs) {
      const until = passedMs + delayMs
      while (passedMs < until) {
        const stepMs = Math.min(STEP_MS, until - passedMs)
        passedMs += stepMs
        await onStep(stepMs)
      }
    },
  }
}
