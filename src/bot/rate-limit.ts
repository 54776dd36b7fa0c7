import { ServiceError } from '../contract/client/service-error.ts'

export type RequestKind = 'chat' | 'video' | 'image' | 'sound'

/** Requests that the service takes in a minute, ≥ 1. */
export type ServiceLimits = Readonly<Record<RequestKind, number>>

/** The service counts by the minute; the extra second covers requests that take longer to arrive. */
export const WINDOW_MS = 61_000

const CLOSED_MS_MIN = 1_000
/** The bot asks the service again after this time, even if the service asked for more. */
const CLOSED_MS_MAX = 5 * 60_000
/** The service rounds to whole seconds; the margin covers the rounding. */
const MARGIN_MS = 1_000

/** Pause between the tries while the service is away. */
const TRY_MS = 20_000

/** The requests of one kind that went out. Instants are milliseconds of one clock. */
export interface Gate {
  /** The instants of the requests of the last `WINDOW_MS`, in any order. */
  readonly sentAt: readonly number[]
  readonly closedUntil: number
  /** True while one request is tried at a time. */
  readonly isAway: boolean
}

export interface RequestOutcome {
  readonly uncountedAt?: number | undefined
  readonly closesMs?: number | undefined
  readonly isAway?: boolean | undefined
  /** True if the service answered, even with a refusal: it is not away. */
  readonly isHeard?: boolean | undefined
}

/** Returns when the next requests may go: at most `limit` in any `WINDOW_MS`, one every `TRY_MS` if the service is away. */
export function nextSlots(
  count: number,
  { sentAt, closedUntil, isAway }: Gate,
  { limit, now }: { limit: number; now: number },
): number[] {
  const taken = sentAt.toSorted((one, other) => one - other)
  const last = () => taken.at(-1) ?? Number.NEGATIVE_INFINITY
  return Array.from({ length: count }, () => {
    const freeAt = (taken.at(-limit) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS
    const triedAt = isAway ? last() + TRY_MS : Number.NEGATIVE_INFINITY
    const slotAt = Math.max(now, closedUntil, freeAt, triedAt)
    taken.push(slotAt)
    return slotAt
  })
}

/** Ignores instants too far ahead: they are from before the clock was set back. */
export function gateAfter(gate: Gate, outcomes: readonly RequestOutcome[], now: number): Gate {
  const sentAt = gate.sentAt.filter((at) => Math.abs(at - now) < WINDOW_MS)
  let { isAway, closedUntil } = gate
  if (closedUntil > now + CLOSED_MS_MAX + MARGIN_MS) closedUntil = 0
  for (const { uncountedAt, closesMs, isAway: isAwayNow = false, isHeard = false } of outcomes) {
    const index = uncountedAt === undefined ? -1 : sentAt.indexOf(uncountedAt)
    if (index >= 0) sentAt.splice(index, 1)
    if (isAwayNow) isAway = true
    else if (isHeard || closesMs !== undefined) isAway = false
    if (closesMs === undefined && !isAwayNow) continue
    const leastMs = isAwayNow ? TRY_MS : CLOSED_MS_MIN
    const boundMs = Math.min(Math.max(closesMs ?? 0, leastMs), CLOSED_MS_MAX)
    closedUntil = Math.max(closedUntil, now + boundMs + MARGIN_MS)
  }
  return { sentAt, closedUntil, isAway }
}

/** Checks whether a request that failed may have counted towards the service's limit. */
export function isCounted(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  const { code, status } = error
  if (code === 'unauthorized' || code === 'invalid_request') return false
  return code !== 'service_unavailable' || status !== undefined
}

export interface Waiting {
  /** Orders the entries of one user. */
  readonly id: bigint
  readonly userId: bigint
  /** When it came, when its user's entry before it went, or when its try failed. */
  readonly queuedAt: number
  readonly awayTries: number
}

/**
 * Orders waiting entries: one of each user in turn, those of one user by id.
 * Failed tries go after untried entries: the service may be away for them alone.
 *
 * When an entry goes, its user's other entries go to the end of the round: a newcomer waits for at most one of each user.
 */
export function inTurn<T extends Waiting>(waiting: readonly T[]): T[] {
  const ofUsers = Map.groupBy(waiting, ({ userId }) => userId)
  return Array.from(ofUsers.values(), (ofUser) => {
    const since = Math.min(...ofUser.map(({ queuedAt }) => queuedAt))
    return ofUser.toSorted(byTries).map((entry, round) => ({ entry, round, since }))
  })
    .flat()
    .sort(
      (one, other) =>
        one.round - other.round || one.since - other.since || byId(one.entry, other.entry),
    )
    .map(({ entry }) => entry)
}

function byTries(one: Waiting, other: Waiting): number {
  return one.awayTries - other.awayTries || byId(one, other)
}

function byId(one: Waiting, other: Waiting): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}
