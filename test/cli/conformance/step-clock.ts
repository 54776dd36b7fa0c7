import type { Clock } from '../../../src/platform/time/clock.ts'

const STEP_MS = 1_000
/** Turns of the event loop in which nobody asks anything: then all that is under way sleeps. */
const QUIET_TURNS = 4

interface Sleeper {
  untilMs: number
  wake: () => void
}

/**
 * Creates a clock whose time passes by whole seconds while everything sleeps.
 *
 * @param onStep Does the work that is due after so many milliseconds more; also while something is under way, after none.
 * @param isBusy Checks whether something is under way that sleeps at no clock, such as a request.
 * @param flows True if the time passes by itself, too, as that of a database does.
 */
export function createStepClock({
  onStep,
  isBusy,
  flows = false,
}: {
  onStep: (stepMs: number) => Promise<void>
  isBusy: () => boolean
  flows?: boolean
}): Clock {
  const begun = Date.now()
  const sleepers = new Set<Sleeper>()
  let steppedMs = 0
  let isStepping = false
  const now = () => steppedMs + (flows ? Date.now() - begun : 0)
  return {
    now,
    date: () => new Date(begun + now()),
    sleep(delayMs) {
      if (delayMs <= 0) return Promise.resolve()
      return new Promise((wake, reject) => {
        sleepers.add({ untilMs: now() + delayMs, wake })
        if (!isStepping) step().catch(reject)
      })
    },
  }

  async function step(): Promise<void> {
    isStepping = true
    while (sleepers.size > 0) {
      await untilQuiet()
      steppedMs += STEP_MS
      await onStep(STEP_MS)
      for (const sleeper of sleepers) {
        if (sleeper.untilMs > now()) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
    }
    isStepping = false
  }

  async function untilQuiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      if (!isBusy()) continue
      turns = -1
      await onStep(0)
    }
  }
}
