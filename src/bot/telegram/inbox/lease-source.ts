import { createSource, type UpdateSupplier } from '@grammyjs/runner'
import type { TroubleLog } from '../../../platform/fold-repeats.ts'
import { systemClock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../error-facts.ts'
import type { LeasedUpdate, StoredUpdates } from './stored-updates.ts'

/** How often a look finds an update that no notification came for, should there ever be one. */
const LOOK_INTERVAL_MS = 5_000
const TROUBLE_INTERVAL_MS = 1_000
const LEASE_MAX = 100

export interface LeaseSourceDeps {
  stored: Pick<StoredUpdates, 'lease' | 'giveBackAllBut'>
  gapMs: number
  handling: () => number[]
  log: Pick<TroubleLog, 'warn'>
}

/** The runner's source of updates: stored ones, of which this process now has the lease. */
export function createLeaseSource({ stored, gapMs, handling, log }: LeaseSourceDeps) {
  let waiting = new AbortController()
  let looksAt = 0
  let offered: LeasedUpdate[] = []
  /** How often it was not known what a statement had leased, and of how many of these that is over. */
  let doubts = 0
  let settledDoubts = 0
  const supplier: UpdateSupplier<LeasedUpdate> = {
    async supply(room, closing) {
      const end = () => waiting.abort()
      closing.addEventListener('abort', end, { once: true })
      await untilLook(closing)
      closing.removeEventListener('abort', end)
      if (closing.aborted) return []
      return offered.length > 0 ? offered.splice(0, room) : lease(Math.min(room, LEASE_MAX))
    },
  }
  return { ...createSource(supplier), wake, offer, doubt, mayOffer }

  function offer(updates: readonly LeasedUpdate[]): void {
    if (updates.length === 0) return
    offered = [...offered, ...updates]
    waiting.abort()
  }

  function mayOffer(): boolean {
    return doubts === settledDoubts
  }

  /** Has what may have been leased in a statement whose answer got lost given back: it would stay so for ever. */
  function doubt(): void {
    doubts += 1
    wake()
  }

  function wake(delayMs = 0): void {
    const at = performance.now() + delayMs
    if (at >= looksAt) return
    looksAt = at
    waiting.abort()
  }

  async function untilLook(closing: { readonly aborted: boolean }): Promise<void> {
    for (
      let now = performance.now();
      now < looksAt && offered.length === 0 && !closing.aborted;
      now = performance.now()
    ) {
      waiting = new AbortController()
      // Waking it aborts the sleep.
      await systemClock.sleep(looksAt - now, waiting.signal).catch(() => {})
    }
  }

  async function lease(limit: number): Promise<LeasedUpdate[]> {
    looksAt = Number.POSITIVE_INFINITY
    const seen = doubts
    try {
      const own = [...handling(), ...offered.map(({ update }) => update.update_id)]
      if (!mayOffer()) await stored.giveBackAllBut(own)
      const { updates, nextInMs } = await stored.lease({ limit, gapMs })
      settledDoubts = seen
      wake(updates.length === limit ? 0 : Math.min(nextInMs ?? Infinity, LOOK_INTERVAL_MS))
      return updates
    } catch (error) {
      log.warn(errorFacts(error), 'updates not leased')
      doubts += 1
      wake(TROUBLE_INTERVAL_MS)
      return []
    }
  }
}

export type LeaseSource = ReturnType<typeof createLeaseSource>
