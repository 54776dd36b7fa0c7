import type { Clock } from '../../../platform/time/clock.ts'

const STEP = 2
/** Going back to the old pace at once makes the next 429 longer. */
const CAREFUL_MS = 60_000

/** How much slower than allowed a pace goes after floods. */
export function createSlowdown(clock: Clock, { factorMax }: { factorMax: number }) {
  let factor = 1
  let easesAt = 0
  return {
    factor: current,
    learn,
  }

  function current(): number {
    while (factor > 1 && easesAt <= clock.now()) {
      factor /= STEP
      easesAt += CAREFUL_MS
    }
    return factor
  }

  /** Goes a step slower until `retryAfterMs` and another minute are over, then a step back every minute. */
  function learn(retryAfterMs: number): void {
    factor = Math.min(current() * STEP, factorMax)
    easesAt = clock.now() + retryAfterMs + CAREFUL_MS
  }
}
