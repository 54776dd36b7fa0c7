import type { InstanceRow } from './instance-row.ts'

/** A process that does not renew its row for so long is taken for dead. */
export const LEASE_MS = 7_000
/** An observer that itself saw nothing for longer does not know who else was cut off. */
const GAP_MS_MAX = 3_000

/**
 * Finds the processes that are silent, by the observer's own clock alone: no clock of another machine can
 * be wrong. Only an observer that was in touch for a whole lease finds any, so that after the database was away
 * every process has that long to come back.
 */
export function createSilenceWatch() {
  let seen = new Map<number, { beatAt: string; sinceMs: number }>()
  let lastMs = Number.NEGATIVE_INFINITY
  return { observe }

  /**
   * @param nowMs An instant after the rows were read.
   * @returns The rows that have not been renewed for a lease.
   */
  function observe(rows: readonly InstanceRow[], nowMs: number): InstanceRow[] {
    if (nowMs - lastMs > GAP_MS_MAX) seen.clear()
    lastMs = nowMs
    const before = seen
    seen = new Map(rows.map(({ id, beatAt }) => [id, sightOf(id, beatAt)]))
    return rows.filter(({ id }) => nowMs - (seen.get(id)?.sinceMs ?? nowMs) >= LEASE_MS)

    function sightOf(id: number, beatAt: string) {
      const known = before.get(id)
      return known?.beatAt === beatAt ? known : { beatAt, sinceMs: nowMs }
    }
  }
}
