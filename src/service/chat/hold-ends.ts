import type { FastifyBaseLogger } from 'fastify'
import type { LedgerSql } from '../ledger/batch/operation.ts'
import { keep, readEnd, release, type Settlement, settle } from '../ledger/end-hold.ts'
import type { Metrics } from '../metrics.ts'
import type { Endings, HoldEnd } from './endings.ts'
import type { Charge } from './price-answer.ts'

type ReleaseReason = 'left' | 'failed'

export interface HoldEndsDeps {
  requestId: string
  modelId: string
  heldMicroRub: bigint
  endings: Endings
  metrics: Pick<Metrics, 'tokensUsed' | 'moneyMoved'>
  log: Pick<FastifyBaseLogger, 'error'>
}

/** The three ends that the hold of one request may have. It gets one of them; each is stored as `Endings` does it. */
export function createHoldEnds({
  requestId,
  modelId,
  heldMicroRub,
  endings,
  metrics,
  log,
}: HoldEndsDeps) {
  return { settleAt, keepIt, releaseIt, releaseFirst }

  /**
   * @param answered Who answered; and the answer, where it is kept for a repeat.
   * @param waitMs How long the caller waits for it.
   */
  function settleAt(
    charge: Charge,
    answered: Pick<Settlement, 'upstream' | 'answer'>,
    waitMs: number,
  ) {
    const { usage, costMicroRub, reason } = charge
    const end = toEnd(
      'settled',
      (sql) => settle(sql, { requestId, usage, costMicroRub, reason, ...answered }),
      () => {
        metrics.tokensUsed(modelId, usage)
        metrics.moneyMoved('settled', costMicroRub)
      },
    )
    return endings.store(end, { log, waitMs })
  }

  function keepIt(reason: 'left' | 'broken') {
    const end = toEnd('kept', (sql) => keep(sql, requestId, reason), countAs('kept'))
    return endings.store(end, { log, waitMs: 0 })
  }

  function releaseIt(reason: ReleaseReason) {
    return endings.store(toRelease(reason), { log, waitMs: 0 })
  }

  /** Where the crash rule would keep the hold: the client may read that nothing is charged once this has resolved. */
  function releaseFirst(reason: ReleaseReason) {
    return endings.storeFirst(toRelease(reason), { log })
  }

  function toRelease(reason: ReleaseReason): HoldEnd {
    return toEnd('released', (sql) => release(sql, requestId, reason), countAs('released'))
  }

  function countAs(state: 'kept' | 'released'): () => void {
    return () => metrics.moneyMoved(state, heldMicroRub)
  }

  function toEnd(
    state: 'settled' | 'kept' | 'released',
    write: (sql: LedgerSql) => Promise<boolean>,
    onWritten: () => void,
  ): HoldEnd {
    return { requestId, store: writeOnce }

    async function writeOnce(sql: LedgerSql): Promise<boolean> {
      const isWritten = await write(sql)
      // The answer to an attempt before may have been lost.
      if (!isWritten && (await readEnd(sql, requestId)) !== state) return false
      onWritten()
      return true
    }
  }
}
