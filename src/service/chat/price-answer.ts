import type { FastifyBaseLogger } from 'fastify'
import { formatRub } from '../../contract/money.ts'
import { estimateTokens } from '../../contract/token-estimate.ts'
import type { EndReason } from '../ledger/ends.ts'
import { priceTokens } from '../ledger/price-tokens.ts'
import type { Metrics } from '../metrics.ts'
import type { Usage } from '../providers/provider.ts'
import { judgeUsage, withoutImpossibleParts } from './judge-usage.ts'
import type { ServedModel } from './models.ts'

/** Tokens, and what they cost. */
export interface CompletionCost {
  usage: Usage
  costMicroRub: bigint
}

/** A cost, and what it is computed from. */
export interface Charge extends CompletionCost {
  reason: Extract<EndReason, 'usage' | 'counted' | 'disbelieved' | 'left'>
  /** What the provider says that it charges. */
  reportedCostMicroRub?: bigint | undefined
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
    const reportedCostMicroRub = readReported(usage)
    if (verdict.isBelieved) {
      return {
        usage: withoutImpossibleParts(usage),
        costMicroRub: chooseCost(verdict.costMicroRub, reportedCostMicroRub),
        reportedCostMicroRub,
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
    return { ...held, reportedCostMicroRub, reason: 'disbelieved' }
  }

  function chooseCost(ownMicroRub: bigint, reportedMicroRub: bigint | undefined): bigint {
    if (!model.isPricedByReported || reportedMicroRub === undefined) return ownMicroRub
    return reportedMicroRub < held.costMicroRub ? reportedMicroRub : held.costMicroRub
  }

  function readReported({ reportedCostUsd }: Usage): bigint | undefined {
    if (reportedCostUsd === undefined) return undefined
    const microRub = convertUsd(reportedCostUsd, model.reportedUsdMicroRub)
    if (microRub === undefined) {
      log.warn(
        { requestId, model: model.id, reportedCostUsd },
        'provider reported a cost that cannot be true, it is ignored',
      )
    }
    return microRub
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
    const counted = { usage, costMicroRub: priceTokens(model.prices, usage) }
    return counted.costMicroRub < held.costMicroRub ? counted : held
  }
}

const USD_DIGITS = 12
/** No answer costs more. */
const REPORTED_USD_MAX = 1_000_000

/** Converts dollars, as JSON has them, into micro-roubles, rounded half up. @returns Undefined if they are no cost. */
function convertUsd(usd: number, usdMicroRub: bigint): bigint | undefined {
  if (!(usd >= 0 && usd <= REPORTED_USD_MAX)) return undefined
  const scale = 10n ** BigInt(USD_DIGITS)
  const scaledUsd = BigInt(usd.toFixed(USD_DIGITS).replace('.', ''))
  return (scaledUsd * usdMicroRub + scale / 2n) / scale
}
