import type { Clock } from '../../../src/platform/time/clock.ts'

const STEP_MS = 1_000

/**
 * Creates a clock whose time passes only while a part sleeps, second by second. Work that is due happens before the
 * next second.
 *
 * @param onStep Does the work that is due after so many milliseconds more.
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
