import type { FastifyBaseLogger } from 'fastify'
import type { RequestEnd } from '../ledger/ends.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { pricesAt, priceTokens } from '../ledger/price-tokens.ts'
import type { Metrics } from '../metrics.ts'
import type { Usage } from '../providers/provider.ts'
import type { Endings, HoldEnd } from './endings.ts'
import type { Charge, CompletionCost } from './price-answer.ts'
import type { Upstream } from './upstreams.ts'

type ReleaseReason = 'left' | 'failed'
type Answering = Pick<Upstream, 'name' | 'cost'> | undefined

export interface HoldEndsDeps {
  accountId: number
  requestId: string
  modelId: string
  held: CompletionCost
  endings: Endings
  metrics: Pick<Metrics, 'tokensUsed' | 'moneyMoved'>
  log: Pick<FastifyBaseLogger, 'error'>
}

/** The three ends that the hold of one request may have. It gets one of them; each is stored as `Endings` does it. */
export function createHoldEnds(deps: HoldEndsDeps) {
  const { accountId, requestId, modelId, held, endings, metrics, log } = deps
  return { settleAt, captureIt, releaseIt, releaseFirst }

  function settleAt(
    charge: Charge,
    { upstream, answer }: { upstream: Answering; answer?: object | undefined },
    waitMs: number,
  ) {
    const { usage, costMicroRub, reportedCostMicroRub, reason } = charge
    const end = toEnd({
      state: 'settled',
      reason,
      usage,
      costMicroRub,
      upstreamCostMicroRub: toUpstreamCost(upstream, usage),
      reportedCostMicroRub,
      upstream: upstream?.name,
      answer,
    })
    return endings.store(end, { log, waitMs })
  }

  function captureIt(reason: 'left' | 'broken', upstream: Answering) {
    const upstreamCostMicroRub = toUpstreamCost(upstream, held.usage)
    return endings.store(toEnd({ state: 'captured', reason, upstreamCostMicroRub }), {
      log,
      waitMs: 0,
    })
  }

  function releaseIt(reason: ReleaseReason) {
    return endings.store(toEnd({ state: 'released', reason }), { log, waitMs: 0 })
  }

  /** Where the crash rule would capture the hold: the client may read that nothing is charged once this has resolved. */
  function releaseFirst(reason: ReleaseReason) {
    return endings.storeFirst(toEnd({ state: 'released', reason }), { log })
  }

  function toEnd(end: Omit<RequestEnd, 'accountId' | 'requestId'>): HoldEnd {
    return {
      requestId,
      async store(ledger: Ledger) {
        const isStored = await ledger.end({ ...end, accountId, requestId })
        if (isStored) count(end)
        return isStored
      },
    }
  }

  function count({
    state,
    usage,
    costMicroRub = held.costMicroRub,
  }: Pick<RequestEnd, 'state' | 'costMicroRub'> & { usage?: Usage | undefined }): void {
    if (usage !== undefined) metrics.tokensUsed(modelId, usage)
    metrics.moneyMoved(state, costMicroRub)
  }
}

function toUpstreamCost(upstream: Answering, usage: Usage): bigint | undefined {
  return upstream?.cost && priceTokens(pricesAt(upstream.cost, new Date()), usage)
}
