import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseTrouble } from '../database/trouble.ts'
import type { LeaseEnd } from './row-leases.ts'

interface Gathered {
  end: LeaseEnd
  endedAt: number
  stored: PromiseWithResolvers<void>
}

export interface LeaseEndsDeps {
  /** Stores a set: all of it or, where it throws, nothing. */
  store: (ends: readonly LeaseEnd[]) => Promise<void>
  /** How long an end may wait for others; at 0 only for the set that is being stored. */
  gatherMs: number
}

/** Gathers the ends of leases, so that many visits without news cost one statement. */
export function createLeaseEnds({ store, gatherMs }: LeaseEndsDeps) {
  let gathered: Gathered[] = []
  let isStoring = false
  return { add }

  /**
   * Resolves when the end is stored.
   *
   * @throws What kept it from being stored; the others of its set are stored all the same.
   */
  function add(end: LeaseEnd): Promise<void> {
    const stored = Promise.withResolvers<void>()
    gathered.push({ end, endedAt: performance.now(), stored })
    void storeGathered()
    return stored.promise
  }

  async function storeGathered(): Promise<void> {
    if (isStoring) return
    isStoring = true
    while (gathered.length > 0) {
      // What ends in the same moment is one set.
      await (gatherMs === 0 ? Promise.resolve() : delay(gatherMs))
      const set = gathered
      gathered = []
      await storeSet(set)
    }
    isStoring = false
  }

  /** One end that the database does not take holds up no other: it is found by halves. */
  async function storeSet(set: readonly Gathered[]): Promise<void> {
    try {
      await store(set.map(leftOf))
      for (const { stored } of set) stored.resolve()
    } catch (error) {
      if (set.length === 1 || isDatabaseTrouble(error)) {
        for (const { stored } of set) stored.reject(error)
        return
      }
      const middle = Math.ceil(set.length / 2)
      await storeSet(set.slice(0, middle))
      await storeSet(set.slice(middle))
    }
  }
}

/** A row is due so long after its visit, however long its end waited to be stored. */
function leftOf({ end, endedAt }: Gathered): LeaseEnd {
  const { dueInMs } = end
  if (dueInMs === undefined) return end
  return { ...end, dueInMs: Math.max(0, dueInMs - (performance.now() - endedAt)) }
}
