/** Allowed by the service: one look at a task in three seconds. */
export const POLL_MS = 3_000
/** A clip takes 5 to 15 minutes: one that is late is looked at less often. */
const LATE_AFTER_MS = 10 * 60_000
const LATE_FACTOR = 10 / 3

/** The longest wait that a refusal may ask for. */
const WAIT_MS_MAX = 60_000
/** A gap that is exact here may be too short where it is measured. */
const GAP_FACTOR = 1.1
/** How long a gap must hold without a refusal before a shorter one is tried. */
const TRIAL_MS = 20_000
/** A gap below this is none. */
const GAP_MIN_MS = 100

/** When each task may be looked at, for all tasks of this process. Instants are milliseconds. */
export interface PollPace {
  /**
   * Asks for a look at a task.
   *
   * @returns The instant from which it may be made; in the future, ask again then.
   */
  turnOf(orderId: bigint, now: number): number
  /** A look was answered. */
  answered(orderId: bigint, now: number, ageMs: number): void
  /** A look was refused with 429. */
  refused(orderId: bigint, now: number, retryAfterMs: number | undefined): void
  forget(orderId: bigint): void
}

/**
 * Keeps the service's limit on looks at tasks.
 *
 * Each task has a pace of its own. A refusal means that the service counts more strictly than per
 * task: from then on the whole account looks once in a little more than `pollMs`, in the order of asking. Every 20 s
 * without a refusal halves that gap until it is none.
 */
export function createPollPace({ pollMs = POLL_MS }: { pollMs?: number } = {}): PollPace {
  const dueAt = new Map<bigint, number>()
  /** Turns given out while the account shares one pace. */
  const turns = new Map<bigint, number>()
  let gapMs = 0
  let changedAt = 0
  let lastTurnAt = 0
  let lastLookAt = 0

  return { turnOf, answered, refused, forget }

  function turnOf(orderId: bigint, now: number): number {
    const due = dueAt.get(orderId) ?? 0
    if (due > now || gapMs === 0) return due
    const turn = turns.get(orderId) ?? Math.max(now, lastTurnAt + gapMs)
    turns.set(orderId, turn)
    lastTurnAt = Math.max(lastTurnAt, turn)
    // Turns that were missed are not made up for all at once.
    const free = Math.max(turn, lastLookAt + gapMs)
    if (free <= now) lastLookAt = now
    return free
  }

  function answered(orderId: bigint, now: number, ageMs: number): void {
    turns.delete(orderId)
    dueAt.set(orderId, now + pollDelayMs(ageMs, pollMs))
    if (gapMs === 0 || now - changedAt < TRIAL_MS) return
    gapMs = gapMs / 2 < GAP_MIN_MS ? 0 : gapMs / 2
    changedAt = now
  }

  function refused(orderId: bigint, now: number, askedMs = 0): void {
    const retryAfterMs = Math.min(askedMs, WAIT_MS_MAX)
    turns.clear()
    gapMs = pollMs * GAP_FACTOR
    changedAt = now
    // The next turn is one gap behind this instant.
    lastTurnAt = now + Math.max(0, retryAfterMs - gapMs)
    dueAt.set(orderId, now + Math.max(pollMs, retryAfterMs))
  }

  function forget(orderId: bigint): void {
    dueAt.delete(orderId)
    turns.delete(orderId)
  }
}

/** Three seconds, for a clip that is late ten. */
export function pollDelayMs(ageMs: number, pollMs = POLL_MS): number {
  return ageMs < LATE_AFTER_MS ? pollMs : pollMs * LATE_FACTOR
}
