import type { FastifyBaseLogger } from 'fastify'
import type { LedgerSql } from '../ledger/batch/operation.ts'
import { keep, readEnd, release, settle } from '../ledger/end-hold.ts'
import { pricesAt, priceTokens } from '../ledger/price-tokens.ts'
import type { Metrics } from '../metrics.ts'
import type { Usage } from '../providers/provider.ts'
import type { Endings, HoldEnd } from './endings.ts'
import type { Charge, CompletionCost } from './price-answer.ts'
import type { Upstream } from './upstreams.ts'

type ReleaseReason = 'left' | 'failed'
type Answering = Pick<Upstream, 'name' | 'cost'> | undefined

export interface HoldEndsDeps {
  requestId: string
  modelId: string
  held: CompletionCost
  endings: Endings
  metrics: Pick<Metrics, 'tokensUsed' | 'moneyMoved'>
  log: Pick<FastifyBaseLogger, 'error'>
}

/** The three ends that the hold of one request may have. It gets one of them; each is stored as `Endings` does it. */
export function createHoldEnds({ requestId, modelId, held, endings, metrics, log }: HoldEndsDeps) {
  return { settleAt, keepIt, releaseIt, releaseFirst }

  function settleAt(
    charge: Charge,
    { upstream, answer }: { upstream: Answering; answer?: object | undefined },
    waitMs: number,
  ) {
    const { usage, costMicroRub, reportedCostMicroRub, reason } = charge
    const end = toEnd(
      'settled',
      (sql) =>
        settle(sql, {
          requestId,
          usage,
          costMicroRub,
          upstreamCostMicroRub: toUpstreamCost(upstream, usage),
          reportedCostMicroRub,
          reason,
          upstream: upstream?.name,
          answer,
        }),
      () => {
        metrics.tokensUsed(modelId, usage)
        metrics.moneyMoved('settled', costMicroRub)
      },
    )
    return endings.store(end, { log, waitMs })
  }

  function keepIt(reason: 'left' | 'broken', upstream: Answering) {
    const end = toEnd(
      'kept',
      (sql) => keep(sql, requestId, reason, toUpstreamCost(upstream, held.usage)),
      countAs('kept'),
    )
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
    return () => metrics.moneyMoved(state, held.costMicroRub)
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

function toUpstreamCost(upstream: Answering, usage: Usage): bigint | undefined {
  return upstream?.cost && priceTokens(pricesAt(upstream.cost, new Date()), usage)
}
