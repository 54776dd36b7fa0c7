/** What the service limits, each by itself. */
export type RequestKind = 'chat' | 'video' | 'image' | 'sound'

/** Requests that the service takes in a minute, ≥ 1. */
export type ServiceLimits = Readonly<Record<RequestKind, number>>

/** The service counts by the minute; a second more, since a request may be longer on its way than the one before. */
export const WINDOW_MS = 61_000

const CLOSED_MS_MIN = 1_000
/** The service is asked again by then, even if it asked for longer. */
const CLOSED_MS_MAX = 5 * 60_000
/** It speaks of whole seconds; this one keeps its clock's edge away. */
const MARGIN_MS = 1_000

/** What went out of one kind of request. Instants are milliseconds of one clock. */
export interface Gate {
  /** Of each request of the last `WINDOW_MS`, in any order. */
  readonly sentAt: readonly number[]
  /** What the last 429 asked for. */
  readonly closedUntil: number
}

/** What was heard of a request that went. */
export interface RequestOutcome {
  /** When it went, if the service did not count it. */
  readonly uncountedAt?: number | undefined
  /** The service refused it, and wants none for so long. */
  readonly closesMs?: number | undefined
}

/**
 * When the next requests may go, the first of them first: at most `limit` in any `WINDOW_MS`.
 *
 * @returns So many instants; `now` for those that may go already.
 */
export function nextSlots(
  count: number,
  { sentAt, closedUntil }: Gate,
  { limit, now }: { limit: number; now: number },
): number[] {
  const taken = sentAt.toSorted((one, other) => one - other)
  return Array.from({ length: count }, () => {
    const freeAt = (taken.at(-limit) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS
    const slotAt = Math.max(now, closedUntil, freeAt)
    taken.push(slotAt)
    return slotAt
  })
}

/** The gate without the slots of requests that did not count, and closed for as long as a refusal asks. */
export function gateAfter(gate: Gate, outcomes: readonly RequestOutcome[], now: number): Gate {
  const sentAt = gate.sentAt.filter((at) => at + WINDOW_MS > now)
  let { closedUntil } = gate
  for (const { uncountedAt, closesMs } of outcomes) {
    const index = uncountedAt === undefined ? -1 : sentAt.indexOf(uncountedAt)
    if (index >= 0) sentAt.splice(index, 1)
    if (closesMs === undefined) continue
    const boundMs = Math.min(Math.max(closesMs, CLOSED_MS_MIN), CLOSED_MS_MAX)
    closedUntil = Math.max(closedUntil, now + boundMs + MARGIN_MS)
  }
  return { sentAt, closedUntil }
}
