/** What stands in the line, or was taken out of it and may be put back. */
export interface Waiting {
  readonly id: string
  /** Grows with every turn: the order within a user. */
  readonly turnId: bigint
  readonly userId: bigint
  /** Its user's place in the round; of what was taken, the one at that moment. */
  readonly place: number
}

/** A user with something in the line. */
interface Waiter<T> {
  userId: bigint
  /** Places in the round are given out once; the lowest comes next. */
  place: number
  /** In the order of their turns, never empty. */
  waiting: T[]
}

export interface FairQueue<T> {
  /** Its place is given to it here, whatever it says. */
  add(waiting: T): void
  /** Takes the first; undefined when nobody waits. */
  take(): T | undefined
  /** Puts back what was taken, where it would stand had it not been. */
  putBack(taken: T): void
  /** Takes out what waits. @returns Whether it did. */
  remove(id: string): boolean
  /** 1 for the first, counting those that wait by now; undefined for what does not wait. */
  positionOf(id: string): number | undefined
  size(): number
  all(): T[]
  /** How many places were given out. */
  places(): number
}

/**
 * A line that is fair by user: one of each in turn, and those of one user in order.
 *
 * A user has one place in the round, given at the end of it: when the first of theirs arrives, and
 * again when one was taken and more wait. So a newcomer waits for at most one of each other user,
 * whatever anybody's burst.
 */
export function createFairQueue<T extends Waiting>(
  standing: readonly T[] = [],
  given = 0,
): FairQueue<T> {
  /** By place. */
  const round: Waiter<T>[] = []
  const byUser = new Map<bigint, Waiter<T>>()
  let places = given
  for (const waiting of standing) putBack(waiting)
  return { add, take, putBack, remove, positionOf, size, all, places: () => places }

  function add(waiting: T): void {
    const place = byUser.get(waiting.userId)?.place ?? ++places
    putBack({ ...waiting, place })
  }

  function take(): T | undefined {
    const waiter = round.shift()
    const taken = waiter?.waiting.shift()
    if (waiter === undefined || taken === undefined) return undefined
    const { place } = waiter
    if (waiter.waiting.length > 0) {
      waiter.place = ++places
      round.push(waiter)
    } else byUser.delete(waiter.userId)
    return { ...taken, place }
  }

  function putBack(taken: T): void {
    const waiter = byUser.get(taken.userId)
    if (waiter !== undefined) round.splice(round.indexOf(waiter), 1)
    const { place, waiting } = waiter ?? { place: taken.place, waiting: [] }
    const back = {
      userId: taken.userId,
      place: Math.min(place, taken.place),
      waiting: [...waiting, taken].sort((one, other) => compare(one.turnId, other.turnId)),
    }
    // From the end, where most belong.
    const before = round.findLastIndex((other) => compareWaiters(other, back) < 0)
    round.splice(before + 1, 0, back)
    byUser.set(back.userId, back)
  }

  function remove(id: string): boolean {
    const waiter = round.find(({ waiting }) => waiting.some((one) => one.id === id))
    if (waiter === undefined) return false
    waiter.waiting = waiter.waiting.filter((one) => one.id !== id)
    if (waiter.waiting.length > 0) return true
    round.splice(round.indexOf(waiter), 1)
    byUser.delete(waiter.userId)
    return true
  }

  function positionOf(id: string): number | undefined {
    const own = round.findIndex(({ waiting }) => waiting.some((one) => one.id === id))
    const ahead = round[own]?.waiting.findIndex((one) => one.id === id)
    if (ahead === undefined) return undefined
    // Until it comes, those before its user in the round have one turn more than those behind.
    return round.reduce(
      (sum, { waiting }, index) => sum + Math.min(waiting.length, index < own ? ahead + 1 : ahead),
      1,
    )
  }

  function size(): number {
    return round.reduce((sum, { waiting }) => sum + waiting.length, 0)
  }

  function all(): T[] {
    return round.flatMap(({ place, waiting }) => waiting.map((one) => ({ ...one, place })))
  }
}

/** Those that were sent before there was a line share the first place: among them the older turn goes first. */
function compareWaiters<T extends Waiting>(one: Waiter<T>, other: Waiter<T>): number {
  const [{ turnId: first } = { turnId: 0n }] = one.waiting
  const [{ turnId: otherFirst } = { turnId: 0n }] = other.waiting
  return one.place - other.place || compare(first, otherFirst)
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}
