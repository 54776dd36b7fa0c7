/** A turn or an order that waits. */
export interface Waiting {
  /** Grows from one to the next: the order within a user. */
  readonly id: bigint
  readonly userId: bigint
  /** When it came, when the one of its user before it was let through, or when it was tried in vain. */
  readonly queuedAt: number
  readonly awayTries: number
}

/**
 * The order in which those who wait are let through: one of each user in turn, those of one user by id. What
 * was tried in vain goes after what was not: the service may be away for it alone.
 *
 * A user has stood in the round since the oldest `queuedAt` of theirs. What is left of a user's when one
 * is let through goes to the end of the round: so a newcomer waits for at most one of each
 * other user, however many those have.
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
