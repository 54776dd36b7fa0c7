import { addHoldMargin } from '../../contract/token-estimate.ts'
import { priceTokens, type TokenPrices } from './price-tokens.ts'

/** Estimates what a chat request costs at most: its prompt with a margin, and the longest answer that it allows. */
export function estimateHold(
  prices: TokenPrices,
  { promptTokens, maxTokens }: { promptTokens: number; maxTokens: number },
) {
  const usage = { promptTokens: addHoldMargin(promptTokens), completionTokens: maxTokens }
  return { usage, costMicroRub: priceTokens(prices, usage) }
}
