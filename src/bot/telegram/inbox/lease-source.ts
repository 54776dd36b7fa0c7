import { createSource, type UpdateSupplier } from '@grammyjs/runner'
import type { TroubleLog } from '../../../fold-repeats.ts'
import { systemClock } from '../../../time/clock.ts'
import { errorFacts } from '../error-facts.ts'
import type { createStoredUpdates, LeasedUpdate } from './stored-updates.ts'

/** Finds what no notification told of, should there ever be such an update. */
const LOOK_INTERVAL_MS = 5_000
/** After the database did not answer. */
const TROUBLE_INTERVAL_MS = 1_000
const LEASE_MAX = 100

export interface LeaseSourceDeps {
  stored: Pick<ReturnType<typeof createStoredUpdates>, 'lease' | 'giveBackAllBut'>
  /** How long an update waits for those with smaller ids that are not there yet. */
  gapMs: number
  /** The ids of what this process is handling. */
  handling: () => number[]
  log: Pick<TroubleLog, 'warn'>
}

/** Where the runner gets updates from: stored ones, of which this process now has the lease. */
export function createLeaseSource({ stored, gapMs, handling, log }: LeaseSourceDeps) {
  let waiting = new AbortController()
  let waitMs = 0
  let hasFailed = false
  const wake = () => waiting.abort()
  const supplier: UpdateSupplier<LeasedUpdate> = {
    async supply(room, closing) {
      closing.addEventListener('abort', wake)
      // Being woken is what the wait is aborted for.
      await systemClock.sleep(waitMs, waiting.signal).catch(() => {})
      waiting = new AbortController()
      return closing.aborted ? [] : lease(Math.min(room, LEASE_MAX))
    },
  }
  return {
    ...createSource(supplier),
    /** Has it look now, because there may be something. Otherwise it looks when the next one is ready. */
    wake,
  }

  async function lease(limit: number): Promise<LeasedUpdate[]> {
    try {
      // What was leased in a statement whose answer got lost would stay so for ever.
      if (hasFailed) await stored.giveBackAllBut(handling())
      const { updates, nextInMs } = await stored.lease({ limit, gapMs })
      hasFailed = false
      waitMs = updates.length === limit ? 0 : Math.min(nextInMs ?? Infinity, LOOK_INTERVAL_MS)
      return updates
    } catch (error) {
      log.warn(errorFacts(error), 'updates not leased')
      hasFailed = true
      waitMs = TROUBLE_INTERVAL_MS
      return []
    }
  }
}
