import { addHoldMargin, estimateTokens } from '../../contract/token-estimate.ts'
import type { EndReason } from '../ledger/ends.ts'
import { priceAtMost, priceTokens, ratesAt } from '../ledger/price-tokens.ts'
import { isCount } from '../providers/openai/usage.ts'
import type { ProviderUsage } from '../providers/provider.ts'
import type { ServedModel } from './models.ts'

export interface CompletionCost {
  usage: ProviderUsage
  costMicroRub: bigint
}

export interface Charge extends CompletionCost {
  reason: Extract<EndReason, 'usage' | 'counted' | 'disbelieved' | 'left'>
  disbelief?: Disbelief | undefined
  reportedCostMicroRub?: bigint | undefined
}

/** Returns the estimate that is held for a request before its provider is called. */
export function priceHold(
  model: Pick<ServedModel, 'prices' | 'thinkingTokens'>,
  { promptTokens, maxTokens }: { promptTokens: number; maxTokens: number },
): CompletionCost {
  const usage = {
    promptTokens: addHoldMargin(promptTokens),
    completionTokens: maxTokens + model.thinkingTokens,
  }
  return { usage, costMicroRub: priceAtMost(model.prices, usage) }
}

interface PricedRequest {
  model: ServedModel
  promptTokens: number
  held: CompletionCost
}

/** Prices an answer by its usage, or by the tokens that `write` joins. An impossible usage costs the hold. */
export function priceAnswer(
  request: PricedRequest,
  usage: ProviderUsage | undefined,
  write: () => string,
): Charge {
  const { model, held } = request
  if (usage === undefined) return { ...count(request, write()), reason: 'counted' }
  const reportedCostMicroRub = convertUsd(usage.reportedCostUsd, model.reportedUsdMicroRub)
  const disbelief = judgeUsage(usage, { model, heldMicroRub: held.costMicroRub })
  if (disbelief !== undefined) {
    return { ...held, reportedCostMicroRub, reason: 'disbelieved', disbelief }
  }
  const reported = model.isPricedByReported ? reportedCostMicroRub : undefined
  const isAboveHold = reported !== undefined && reported > held.costMicroRub
  return {
    usage: withoutImpossibleParts(usage),
    costMicroRub: isAboveHold ? held.costMicroRub : (reported ?? priceTokens(model.prices, usage)),
    reportedCostMicroRub,
    reason: 'usage',
  }
}

export function pricePrompt(request: PricedRequest): Charge {
  return { ...count(request, ''), reason: 'left' }
}

/** Counts tokens here; they never cost more than what was held. */
function count({ model, promptTokens, held }: PricedRequest, words: string): CompletionCost {
  const usage = { promptTokens, completionTokens: estimateTokens(words) }
  const counted = { usage, costMicroRub: priceTokens(model.prices, usage) }
  return counted.costMicroRub < held.costMicroRub ? counted : held
}

export type Disbelief = 'not_a_count' | 'impossible_part' | 'above_context' | 'far_above_hold'

/** Honest models think longer than `max_tokens` says, but not by this much. */
const TIMES_HOLD_MAX = 10n
/** Answers soon cost ten times a small hold: less than a rouble above it does no harm. */
const ABOVE_HOLD_MAX_MICRO_RUB = 1_000_000n

/** Finds the reason not to charge a reported usage. A usage above the hold may be true, and is charged. */
export function judgeUsage(
  usage: ProviderUsage,
  {
    model,
    heldMicroRub,
  }: { model: Pick<ServedModel, 'prices' | 'contextTokens'>; heldMicroRub: bigint },
): Disbelief | undefined {
  const { promptTokens, completionTokens } = usage
  if (![promptTokens, completionTokens].every(isCount)) return 'not_a_count'
  // Parts without a price of their own change nothing.
  const { cachedPrompt, cacheWrite, reasoning } = ratesAt(model.prices, promptTokens)
  const isInputPriced = (cachedPrompt ?? cacheWrite) !== undefined
  if (isInputPriced && !hasPossibleInput(usage)) return 'impossible_part'
  if (reasoning !== undefined && !hasPossibleOutput(usage)) return 'impossible_part'
  if (promptTokens + completionTokens > model.contextTokens) return 'above_context'
  const costMicroRub = priceTokens(model.prices, usage)
  const isFarAbove =
    costMicroRub > heldMicroRub * TIMES_HOLD_MAX &&
    costMicroRub > heldMicroRub + ABOVE_HOLD_MAX_MICRO_RUB
  return isFarAbove ? 'far_above_hold' : undefined
}

function hasPossibleInput({ promptTokens, cachedTokens = 0, cacheWriteTokens = 0 }: ProviderUsage) {
  const isCounted = [cachedTokens, cacheWriteTokens].every(isCount)
  return isCounted && cachedTokens + cacheWriteTokens <= promptTokens
}

function hasPossibleOutput({ completionTokens, reasoningTokens = 0 }: ProviderUsage) {
  return isCount(reasoningTokens) && reasoningTokens <= completionTokens
}

/** Leaves out the parts of input or output that cannot be true. Nothing was charged for them. */
function withoutImpossibleParts(usage: ProviderUsage): ProviderUsage {
  const { cachedTokens, cacheWriteTokens, reasoningTokens, ...whole } = usage
  return {
    ...whole,
    ...(hasPossibleInput(usage) && { cachedTokens, cacheWriteTokens }),
    ...(hasPossibleOutput(usage) && { reasoningTokens }),
  }
}

const USD_DIGITS = 12
const REPORTED_USD_MAX = 1_000_000

/** Converts dollars, as JSON has them, into micro-roubles, rounded half up. @returns Undefined if they are no cost. */
function convertUsd(usd: number | undefined, usdMicroRub: bigint): bigint | undefined {
  if (usd === undefined || !(usd >= 0 && usd <= REPORTED_USD_MAX)) return undefined
  const scale = 10n ** BigInt(USD_DIGITS)
  const scaledUsd = BigInt(usd.toFixed(USD_DIGITS).replace('.', ''))
  return (scaledUsd * usdMicroRub + scale / 2n) / scale
}
