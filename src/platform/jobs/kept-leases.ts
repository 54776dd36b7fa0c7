/** A lease that this process has. */
export interface HeldLease<Row extends { id: string } = { id: string }> {
  row: Row
  /** An instant before the row was taken, by the monotonic clock. */
  takenAt: number
}

interface Kept<Row extends { id: string }> {
  held: HeldLease<Row>
  visitAt: number
  timer?: NodeJS.Timeout
}

/**
 * The leases of one kind of work that this process keeps between two visits of their rows: the database is
 * not asked about those, and not written to, meanwhile.
 */
export function createKeptLeases<Row extends { id: string }>({
  onDue,
}: {
  onDue: (held: HeldLease<Row>) => void
}) {
  const kept = new Map<string, Kept<Row>>()
  return { add, has, remove, removeAll, ids: () => kept.keys() }

  function add(held: HeldLease<Row>, inMs: number): void {
    const one: Kept<Row> = { held, visitAt: performance.now() + inMs }
    kept.set(held.row.id, one)
    wait(one)
  }

  /** A timer may go off up to a millisecond early. */
  function wait(one: Kept<Row>): void {
    const leftMs = one.visitAt - performance.now()
    if (leftMs <= 0) onDue(one.held)
    else one.timer = setTimeout(wait, Math.ceil(leftMs), one)
  }

  function has(held: HeldLease<Row>): boolean {
    return kept.get(held.row.id)?.held === held
  }

  function remove(id: string): void {
    clearTimeout(kept.get(id)?.timer)
    kept.delete(id)
  }

  function removeAll(): { held: HeldLease<Row>; dueInMs: number }[] {
    const now = performance.now()
    const all = Array.from(kept.values(), ({ held, visitAt, timer }) => {
      clearTimeout(timer)
      return { held, dueInMs: Math.max(0, visitAt - now) }
    })
    kept.clear()
    return all
  }
}
