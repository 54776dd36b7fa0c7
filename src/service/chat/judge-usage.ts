import { priceTokens, ratesAt } from '../ledger/price-tokens.ts'
import type { Usage } from '../providers/provider.ts'
import type { ServedModel } from './models.ts'

/**
 * The reason why a usage is not believed. `not_a_count`: negative, broken, beyond what a double counts exactly, or no
 * number at all. `cached_above_prompt`: more of the prompt was cached than it has. `reasoning_above_completion`: the
 * same of output. `above_context`: the model cannot read and write so much. `far_above_hold`: the request cannot have
 * led to it.
 */
export type Disbelief =
  | 'not_a_count'
  | 'cached_above_prompt'
  | 'reasoning_above_completion'
  | 'above_context'
  | 'far_above_hold'

export type UsageVerdict =
  | { isBelieved: true; costMicroRub: bigint }
  /** The cost is what it would have been, where it can be computed. */
  | { isBelieved: false; reason: Disbelief; costMicroRub?: bigint }

/** Honest models think longer than `max_tokens` says, but not by this much. */
const TIMES_HOLD_MAX = 10n
/** Answers soon cost ten times a small hold: less than a rouble above it does no harm. */
const ABOVE_HOLD_MAX_MICRO_RUB = 1_000_000n

/**
 * Judges the usage that a provider reports, before it is charged. A possible one is believed, also where it
 * costs more than was held.
 *
 * @param heldMicroRub The hold of the request.
 */
export function judgeUsage(
  usage: Usage,
  {
    model,
    heldMicroRub,
  }: { model: Pick<ServedModel, 'prices' | 'contextTokens'>; heldMicroRub: bigint },
): UsageVerdict {
  const { promptTokens, completionTokens } = usage
  if (!isCount(promptTokens) || !isCount(completionTokens)) {
    return { isBelieved: false, reason: 'not_a_count' }
  }
  // Where they cost what the others do, nothing hangs on how many they are.
  const { cachedPrompt, cacheWrite, reasoning } = ratesAt(model.prices, promptTokens)
  if ((cachedPrompt ?? cacheWrite) !== undefined && !areCachedPossible(usage)) {
    const { cachedTokens = 0, cacheWriteTokens = 0 } = usage
    const areCounts = isCount(cachedTokens) && isCount(cacheWriteTokens)
    return { isBelieved: false, reason: areCounts ? 'cached_above_prompt' : 'not_a_count' }
  }
  if (reasoning !== undefined && !isReasoningPossible(usage)) {
    const isOther = isCount(usage.reasoningTokens ?? 0)
    return { isBelieved: false, reason: isOther ? 'reasoning_above_completion' : 'not_a_count' }
  }
  const costMicroRub = priceTokens(model.prices, usage)
  if (promptTokens + completionTokens > model.contextTokens) {
    return { isBelieved: false, reason: 'above_context', costMicroRub }
  }
  const isFarAbove =
    costMicroRub > heldMicroRub * TIMES_HOLD_MAX &&
    costMicroRub > heldMicroRub + ABOVE_HOLD_MAX_MICRO_RUB
  if (isFarAbove) return { isBelieved: false, reason: 'far_above_hold', costMicroRub }
  return { isBelieved: true, costMicroRub }
}

/** Returns a usage without the parts of input or output that cannot be true. Nothing was charged for them. */
export function withoutImpossibleParts(usage: Usage): Usage {
  const { cachedTokens, cacheWriteTokens, reasoningTokens, ...whole } = usage
  return {
    ...whole,
    ...(areCachedPossible(usage) && { cachedTokens, cacheWriteTokens }),
    ...(isReasoningPossible(usage) && { reasoningTokens }),
  }
}

function areCachedPossible({ promptTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage) {
  const areCounts = isCount(cachedTokens) && isCount(cacheWriteTokens)
  return areCounts && cachedTokens + cacheWriteTokens <= promptTokens
}

function isReasoningPossible({ completionTokens, reasoningTokens = 0 }: Usage): boolean {
  return isCount(reasoningTokens) && reasoningTokens <= completionTokens
}

function isCount(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0
}
