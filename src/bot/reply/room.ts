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
/** More than any limit to be learnt. */
const LOG_MAX = 10_000

/** A request that was sent. */
export interface Sent {
  readonly at: number
}

/** What is known of the room that the service has for requests. Instants are of any one clock. */
export interface Room {
  /** The instant from which the next request may go; `now` if it may already. */
  opensAt(now: number): number
  /** About when the last of so many requests may go. */
  opensFor(count: number, now: number): number
  /** Notes a request that goes out. */
  send(now: number): Sent
  /** Notes that it was not refused. */
  accept(sent: Sent): void
  /** Notes that the service had no room for it. */
  refuse(sent: Sent, now: number, retryAfterMs: number | undefined): void
  /** Notes that it did not come to the limit: the service was not reached, or said no before. */
  forget(sent: Sent): void
}

/**
 * Learns from the service's refusals how many requests a minute it takes.
 *
 * 1. A service that has never refused has no limit here.
 * 2. A refusal closes the room for as long as it asks, and a second. The limit is as many as went out
 *    in the last minute and were not refused, at least 1; further refusals of the same burst lower it.
 * 3. From then on so many go out in any 61 s.
 * 4. Five minutes after the last refusal it is tried whether there is more: when all that went out
 *    was answered, or not refused within 2 s, one above the limit goes out, so that it takes nobody's
 *    place. Each raises the limit, then the next may try; a refusal brings it back. Beside a full
 *    line that is one refusal in five minutes.
 * 5. In its first minute it does not know all that went out before, by the last run: what it learns
 *    then is too low, so that it is tried again (4) as soon as the room is open.
 */
export function createRoom(startedAt: number): Room {
  let log: Sent[] = []
  /** Those that may still be refused, the last one at the end. */
  let open: Sent[] = []
  let limit = Number.POSITIVE_INFINITY
  let closedUntil = Number.NEGATIVE_INFINITY
  let triesFrom = Number.NEGATIVE_INFINITY
  let trial: Sent | undefined
  return { opensAt, opensFor, send, accept, refuse, forget }

  function opensAt(now: number): number {
    settle(now)
    const last = open.at(-1)
    const triedAt = Math.max(triesFrom, last === undefined ? now : last.at + REFUSED_WITHIN_MS)
    return Math.max(now, closedUntil, Math.min(freeAt(now, log), triedAt))
  }

  function opensFor(count: number, now: number): number {
    const ahead = [...log]
    let at = Math.max(now, closedUntil)
    for (let index = 0; index < count; index++) {
      at = Math.max(at, freeAt(at, ahead))
      ahead.push({ at })
    }
    return at
  }

  /** When fewer than the limit lie within the window. */
  function freeAt(now: number, sent: readonly Sent[]): number {
    const blocking = sent.at(-limit)
    return blocking === undefined ? now : Math.max(now, blocking.at + WINDOW_MS)
  }

  function send(now: number): Sent {
    const sent = { at: now }
    if (freeAt(now, log) > now) trial = sent
    log = [...recent(now), sent].slice(-LOG_MAX)
    open.push(sent)
    return sent
  }

  function accept(sent: Sent): void {
    open = open.filter((other) => other !== sent)
    if (sent !== trial) return
    trial = undefined
    limit++
  }

  function settle(now: number): void {
    for (const sent of open) if (sent.at + REFUSED_WITHIN_MS <= now) accept(sent)
  }

  function refuse(sent: Sent, now: number, retryAfterMs: number | undefined): void {
    forget(sent)
    // Of those sent at once any may have been the one too many.
    trial = undefined
    log = recent(now)
    limit = Math.max(1, log.length)
    const closedMs = retryAfterMs ?? CLOSED_MS
    const boundMs = Math.min(Math.max(closedMs, CLOSED_MS_MIN), CLOSED_MS_MAX)
    closedUntil = Math.max(closedUntil, now + boundMs + MARGIN_MS)
    triesFrom = now < startedAt + WINDOW_MS ? closedUntil : now + TRY_AFTER_MS
  }

  function forget(sent: Sent): void {
    if (sent === trial) trial = undefined
    log = log.filter((other) => other !== sent)
    open = open.filter((other) => other !== sent)
  }

  function recent(now: number): Sent[] {
    return log.filter(({ at }) => at + WINDOW_MS > now)
  }
}
