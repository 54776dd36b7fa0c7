/** What stands in the line, or was taken out of it and may be put back. */
export interface Entry<T> {
  readonly userId: bigint
  readonly item: T
  /** Grows with every arrival: the order within a user. */
  readonly arrival: number
  /** Its user's place in the round when it was taken. */
  takenFrom: number
}

/** A user with something in the line. */
interface Waiter<T> {
  userId: bigint
  /** Places in the round are given out once; the lowest comes next. */
  place: number
  /** By arrival, never empty. */
  entries: Entry<T>[]
}

export interface FairLine<T> {
  add(userId: bigint, item: T): Entry<T>
  /** Takes the first; undefined when nobody waits. */
  take(): Entry<T> | undefined
  /** Puts back what was taken, where it would stand had it not been. */
  putBack(entry: Entry<T>): void
  /** Takes out what waits. @returns Whether it did. */
  remove(entry: Entry<T>): boolean
  /** 1 for the first, counting those that wait by now; undefined for what does not wait. */
  placeOf(entry: Entry<T>): number | undefined
  size(): number
}

/**
 * A line that is fair by user: one of each in turn, and those of one user in order.
 *
 * A user has one place in the round, given at the end of it: when the first of theirs arrives, and
 * again when one was taken and more wait. So a newcomer waits for at most one of each other user,
 * whatever anybody's burst.
 */
export function createFairLine<T>(): FairLine<T> {
  /** By place. */
  const round: Waiter<T>[] = []
  let arrivals = 0
  let places = 0
  let size = 0
  return { add, take, putBack, remove, placeOf, size: () => size }

  function add(userId: bigint, item: T): Entry<T> {
    const entry = { userId, item, arrival: ++arrivals, takenFrom: 0 }
    const waiter = waiterOf(userId)
    if (waiter === undefined) round.push({ userId, place: ++places, entries: [entry] })
    else waiter.entries.push(entry)
    size++
    return entry
  }

  function take(): Entry<T> | undefined {
    const waiter = round.shift()
    const entry = waiter?.entries.shift()
    if (waiter === undefined || entry === undefined) return undefined
    entry.takenFrom = waiter.place
    if (waiter.entries.length > 0) round.push({ ...waiter, place: ++places })
    size--
    return entry
  }

  function putBack(entry: Entry<T>): void {
    const waiter = waiterOf(entry.userId)
    if (waiter !== undefined) round.splice(round.indexOf(waiter), 1)
    const { place, entries } = waiter ?? { place: entry.takenFrom, entries: [] }
    const inOrder = [...entries, entry].sort((one, other) => one.arrival - other.arrival)
    const first = Math.min(place, entry.takenFrom)
    const behind = round.findIndex((other) => other.place > first)
    const back = { userId: entry.userId, place: first, entries: inOrder }
    round.splice(behind === -1 ? round.length : behind, 0, back)
    size++
  }

  function remove(entry: Entry<T>): boolean {
    const waiter = waiterOf(entry.userId)
    const index = waiter?.entries.indexOf(entry) ?? -1
    if (waiter === undefined || index === -1) return false
    waiter.entries.splice(index, 1)
    if (waiter.entries.length === 0) round.splice(round.indexOf(waiter), 1)
    size--
    return true
  }

  function placeOf(entry: Entry<T>): number | undefined {
    const own = round.findIndex(({ userId }) => userId === entry.userId)
    const ahead = round[own]?.entries.indexOf(entry) ?? -1
    if (ahead === -1) return undefined
    // Until it comes, those before its user in the round have one turn more than those behind.
    return round.reduce(
      (sum, { entries }, index) => sum + Math.min(entries.length, index < own ? ahead + 1 : ahead),
      1,
    )
  }

  function waiterOf(userId: bigint): Waiter<T> | undefined {
    return round.find((waiter) => waiter.userId === userId)
  }
}
