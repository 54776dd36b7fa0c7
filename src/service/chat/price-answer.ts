import type { FastifyBaseLogger } from 'fastify'
import { formatRub } from '../../contract/money.ts'
import { estimateTokens } from '../../contract/token-estimate.ts'
import type { Settlement } from '../ledger/end-hold.ts'
import { priceTokens } from '../ledger/price-tokens.ts'
import type { Metrics } from '../metrics.ts'
import type { Usage } from '../providers/provider.ts'
import { judgeUsage, mayBeCached } from './judge-usage.ts'
import type { ServedModel } from './models.ts'

/** Tokens, and what they cost. */
export interface CompletionCost {
  usage: Usage
  costMicroRub: bigint
}

/** A cost, and what it is computed from. */
export interface Charge extends CompletionCost {
  reason: NonNullable<Settlement['reason']>
}

export interface AnswerPricesDeps {
  requestId: string
  model: ServedModel
  promptTokens: number
  held: CompletionCost
  metrics: Pick<Metrics, 'usageDisbelieved'>
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** Prices the answer to one request: by the usage that its provider reports, or as it is counted here. */
export function createAnswerPrices({
  requestId,
  model,
  promptTokens,
  held,
  metrics,
  log,
}: AnswerPricesDeps) {
  return { ofAnswer, ofPrompt }

  function ofAnswer(usage: Usage | undefined, content: string): Charge {
    return usage === undefined ? ofEstimate(content) : ofUsage(usage)
  }

  /** Prices a request whose client left before any output. */
  function ofPrompt(): Charge {
    return { ...count(''), reason: 'left' }
  }

  /** A usage that is not believed costs what was held, and counts for as many tokens. */
  function ofUsage(usage: Usage): Charge {
    const verdict = judgeUsage(usage, { model, heldMicroRub: held.costMicroRub })
    if (verdict.isBelieved) {
      const { cachedTokens, ...tokens } = usage
      return {
        usage: mayBeCached(usage) ? { ...tokens, cachedTokens } : tokens,
        costMicroRub: verdict.costMicroRub,
        reason: 'usage',
      }
    }
    const { reason, costMicroRub } = verdict
    metrics.usageDisbelieved(model.id, reason)
    log.warn(
      {
        requestId,
        model: model.id,
        reason,
        usage,
        reportedRub: costMicroRub === undefined ? undefined : formatRub(costMicroRub),
        heldRub: formatRub(held.costMicroRub),
      },
      'provider reported a usage that cannot be true, the hold is charged',
    )
    return { ...held, reason: 'disbelieved' }
  }

  function ofEstimate(content: string): Charge {
    const cost = count(content)
    log.warn(
      { requestId, model: model.id, usage: cost.usage },
      'provider sent no usage, tokens are estimated',
    )
    return { ...cost, reason: 'counted' }
  }

  /** Counted here, and never more than what was held. */
  function count(content: string): CompletionCost {
    const usage = { promptTokens, completionTokens: estimateTokens(content) }
    const counted = { usage, costMicroRub: priceTokens(model, usage) }
    return counted.costMicroRub < held.costMicroRub ? counted : held
  }
}
