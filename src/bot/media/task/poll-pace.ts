import type { Clock } from '../../../platform/time/clock.ts'

/** Allowed by the service: one look at a task in three seconds. */
export const POLL_MS = 3_000
/** The pace for a task whose end the service reports: 30 to 60 s are recommended. */
export const CALLBACK_POLL_MS = 30_000
/** A clip takes 5 to 15 minutes: one that is late is looked at less often. */
const LATE_AFTER_MS = 10 * 60_000
const LATE_FACTOR = 10 / 3

const WAIT_MS_MAX = 60_000
/** A gap that is exact here may be too short where it is measured. */
const GAP_FACTOR = 1.1
/** How long a gap must hold without a refusal before a shorter one is tried. */
const TRIAL_MS = 20_000
const GAP_MIN_MS = 100

export interface PollPaceDeps {
  pollMs: number
  clock: Clock
}

/**
 * Keeps the service's limit on looks at tasks.
 *
 * Each task is due by itself, once in `pollMs`. A refusal means that the service counts more strictly
 * than by task: from then on the whole account looks once in a little more than `pollMs`. Every 20 s without a refusal halves that gap until it is none.
 */
export function createPollPace({ pollMs, clock }: PollPaceDeps) {
  let gapMs = 0
  let changedAt = 0
  let nextAt = 0
  let last: Promise<void> = Promise.resolve()
  return { turn, answered, refused }

  /**
   * Resolves when a look may be made, in the order of asking.
   *
   * @throws The signal's reason if it aborted.
   */
  function turn(signal: AbortSignal): Promise<void> {
    const mine = last.then(() => wait(signal))
    last = mine.catch(() => {})
    return mine
  }

  async function wait(signal: AbortSignal): Promise<void> {
    for (let leftMs = nextAt - clock.now(); leftMs > 0; leftMs = nextAt - clock.now()) {
      await clock.sleep(leftMs, signal)
    }
    signal.throwIfAborted()
    nextAt = clock.now() + gapMs
  }

  function answered(): void {
    const now = clock.now()
    if (gapMs === 0 || now - changedAt < TRIAL_MS) return
    gapMs = gapMs / 2 < GAP_MIN_MS ? 0 : gapMs / 2
    changedAt = now
  }

  function refused(retryAfterMs = 0): void {
    gapMs = pollMs * GAP_FACTOR
    changedAt = clock.now()
    nextAt = changedAt + Math.max(gapMs, Math.min(retryAfterMs, WAIT_MS_MAX))
  }
}

export type PollPace = ReturnType<typeof createPollPace>

/**
 * Three seconds, for a clip that is late ten.
 *
 * @param ageMs For how long it has been made.
 */
export function pollDelayMs(ageMs: number, pollMs = POLL_MS): number {
  return ageMs < LATE_AFTER_MS ? pollMs : pollMs * LATE_FACTOR
}
