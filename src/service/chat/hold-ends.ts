import type { FastifyBaseLogger } from 'fastify'
import type { LedgerSql } from '../ledger/batch/operation.ts'
import { keep, readEnd, release, settle } from '../ledger/end-hold.ts'
import type { Metrics } from '../metrics.ts'
import type { Endings } from './endings.ts'
import type { Charge } from './price-answer.ts'

export interface HoldEndsDeps {
  requestId: string
  modelId: string
  heldMicroRub: bigint
  endings: Endings
  metrics: Pick<Metrics, 'tokensUsed' | 'moneyMoved'>
  log: Pick<FastifyBaseLogger, 'error'>
}

/** The three ends that the hold of one request may have. It gets one of them; each resolves as `Endings.store()` does. */
export function createHoldEnds({
  requestId,
  modelId,
  heldMicroRub,
  endings,
  metrics,
  log,
}: HoldEndsDeps) {
  return { settleAt, keepIt, releaseIt }

  /** @param waitMs How long the caller waits for it. */
  function settleAt(charge: Charge, upstream: string | undefined, waitMs: number) {
    const { usage, costMicroRub, reason } = charge
    return store(
      'settled',
      (sql) => settle(sql, { requestId, upstream, usage, costMicroRub, reason }),
      () => {
        metrics.tokensUsed(modelId, usage)
        metrics.moneyMoved('settled', costMicroRub)
      },
      waitMs,
    )
  }

  function keepIt(reason: 'left' | 'broken') {
    return store('kept', (sql) => keep(sql, requestId, reason), countAs('kept'))
  }

  function releaseIt(reason: 'left' | 'failed') {
    return store('released', (sql) => release(sql, requestId, reason), countAs('released'))
  }

  function countAs(state: 'kept' | 'released'): () => void {
    return () => metrics.moneyMoved(state, heldMicroRub)
  }

  function store(
    state: 'settled' | 'kept' | 'released',
    write: (sql: LedgerSql) => Promise<boolean>,
    onWritten: () => void,
    waitMs = 0,
  ): Promise<boolean | undefined> {
    return endings.store({ requestId, store: writeOnce }, { log, waitMs })

    async function writeOnce(sql: LedgerSql): Promise<boolean> {
      const isWritten = await write(sql)
      // The answer to an attempt before may have been lost.
      if (!isWritten && (await readEnd(sql, requestId)) !== state) return false
      onWritten()
      return true
    }
  }
}
