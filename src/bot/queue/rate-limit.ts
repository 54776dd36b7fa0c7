/** The service counts by the minute; a second more, since a request may be longer on its way than the one before. */
export const WINDOW_MS = 61_000
/** How long after the last refusal it is tried whether the service takes more. */
export const TRY_AFTER_MS = 5 * 60_000
/** A refusal comes at once: what is unanswered for so long was not refused. */
const REFUSED_WITHIN_MS = 2_000

/** Where the service does not say how long to wait. */
const CLOSED_MS = 10_000
const CLOSED_MS_MIN = 1_000
/** The service is asked again by then, whatever it said. */
const CLOSED_MS_MAX = 5 * 60_000
/** It speaks of whole seconds; this one keeps its clock's edge away. */
const MARGIN_MS = 1_000
/** So long after the last refusal a limit is not believed any more. */
const FORGOTTEN_AFTER_MS = 24 * 3600_000

/** A request that was sent. */
export interface Sent {
  readonly id: string
  readonly at: number
  /** The service has not answered yet. */
  readonly isOpen: boolean
}

/** What is known of the service, beside the requests of the last minute. Instants are of any one clock. */
export interface RateLimitState {
  /** Infinite while there is none. */
  limit: number
  refusedAt: number
  closedUntil: number
  triesFrom: number
  /** The request that goes beyond the limit, while it may be refused. */
  trialId: string | undefined
  /** From here on every request was noted. */
  knownFrom: number
}

export const UNKNOWN_RATE_LIMIT: Readonly<RateLimitState> = {
  limit: Number.POSITIVE_INFINITY,
  refusedAt: Number.NEGATIVE_INFINITY,
  closedUntil: Number.NEGATIVE_INFINITY,
  triesFrom: Number.NEGATIVE_INFINITY,
  trialId: undefined,
  knownFrom: Number.NEGATIVE_INFINITY,
}

/** What is known of the room that the service has for requests. */
export interface Room {
  /** The instant from which the next request may go; `now` if it may already. */
  nextSlotAt(now: number): number
  /** About when the last of so many requests may go. */
  slotFor(count: number, now: number): number
  /** Notes a request that goes out. */
  send(id: string, now: number): void
  /** Notes that it was not refused. */
  accept(id: string): void
  /** Notes that the service had no room for it. */
  refuse(id: string, now: number, retryAfterMs: number | undefined): void
  /** Notes that it did not come to the limit: the service was not reached, or said no before. */
  forget(id: string): void
  /** Notes that requests may have gone out before that nobody noted. */
  begin(now: number): void
  state(): Readonly<RateLimitState>
  /** By instant. */
  log(): readonly Sent[]
}

/**
 * Learns from the service's refusals how many requests a minute it takes.
 *
 * 1. A service that has never refused, or not for a day, has no limit here.
 * 2. A refusal closes the room for as long as it asks, and a second. The limit is as many as went out
 *    in the last minute and were not refused, at least 1; further refusals of the same burst lower it.
 * 3. From then on so many go out in any 61 s.
 * 4. Five minutes after the last refusal it is tried whether there is more: when all that went out
 *    was answered, or not refused within 2 s, one above the limit goes out, so that it takes nobody's
 *    place. Each raises the limit, then the next may try; a refusal brings it back. Beside a full
 *    line that is one refusal in five minutes.
 * 5. In the first minute after a process began without a limit, not all may be known that went out
 *    before, by one that was killed: what is learnt then may be too low, so that it is tried again (4)
 *    as soon as the room is open.
 */
export function createRateLimit(
  known: RateLimitState,
  sent: readonly Sent[],
  openedAt: number,
): Room {
  const isStale = known.refusedAt + FORGOTTEN_AFTER_MS <= openedAt
  const state: RateLimitState = {
    ...(isStale ? { ...UNKNOWN_RATE_LIMIT, knownFrom: known.knownFrom } : known),
  }
  let log = sent.toSorted((one, other) => one.at - other.at)
  return {
    nextSlotAt,
    slotFor,
    send,
    accept,
    refuse,
    forget,
    begin,
    state: () => state,
    log: () => log,
  }

  function nextSlotAt(now: number): number {
    settle(now)
    const last = log.findLast((one) => mayBeRefused(one, now))
    const triedAt = Math.max(
      state.triesFrom,
      last === undefined ? now : last.at + REFUSED_WITHIN_MS,
    )
    return Math.max(now, state.closedUntil, Math.min(freeAt(now, log), triedAt))
  }

  function slotFor(count: number, now: number): number {
    const ahead = log.map(({ at }) => ({ at }))
    let at = Math.max(now, state.closedUntil)
    for (let index = 0; index < count; index++) {
      at = Math.max(at, freeAt(at, ahead))
      ahead.push({ at })
    }
    return at
  }

  /** When fewer than the limit lie within the window. */
  function freeAt(now: number, by: readonly { at: number }[]): number {
    const blocking = by.at(-state.limit)
    return blocking === undefined ? now : Math.max(now, blocking.at + WINDOW_MS)
  }

  function send(id: string, now: number): void {
    if (freeAt(now, log) > now) state.trialId = id
    log = [...recent(now), { id, at: now, isOpen: true }]
  }

  function accept(id: string): void {
    log = log.map((one) => (one.id === id ? { ...one, isOpen: false } : one))
    if (id !== state.trialId) return
    state.trialId = undefined
    state.limit++
  }

  /** A trial that nobody refused in time was accepted. */
  function settle(now: number): void {
    if (state.trialId === undefined) return
    const trial = log.find(({ id }) => id === state.trialId)
    if (trial === undefined || !mayBeRefused(trial, now)) accept(state.trialId)
  }

  function refuse(id: string, now: number, retryAfterMs: number | undefined): void {
    forget(id)
    // Of those sent at once any may have been the one too many.
    state.trialId = undefined
    log = recent(now)
    state.limit = Math.max(1, log.length)
    state.refusedAt = now
    const closedMs = retryAfterMs ?? CLOSED_MS
    const boundMs = Math.min(Math.max(closedMs, CLOSED_MS_MIN), CLOSED_MS_MAX)
    state.closedUntil = Math.max(state.closedUntil, now + boundMs + MARGIN_MS)
    const isKnown = state.knownFrom + WINDOW_MS <= now
    state.triesFrom = isKnown ? now + TRY_AFTER_MS : state.closedUntil
  }

  function forget(id: string): void {
    if (id === state.trialId) state.trialId = undefined
    log = log.filter((one) => one.id !== id)
  }

  function begin(now: number): void {
    if (state.limit === Number.POSITIVE_INFINITY) state.knownFrom = now
  }

  function recent(now: number): Sent[] {
    return log.filter(({ at }) => at + WINDOW_MS > now)
  }
}

function mayBeRefused({ at, isOpen }: Sent, now: number): boolean {
  return isOpen && at + REFUSED_WITHIN_MS > now
}
