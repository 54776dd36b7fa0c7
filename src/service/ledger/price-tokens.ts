/** Micro-roubles per 1 million tokens, of input and of output. */
export interface TokenPrices {
  promptMicroRubPer1m: bigint
  completionMicroRubPer1m: bigint
}

const TOKENS_PER_PRICE = 1_000_000n

/** Prices tokens, in micro-roubles: exact until the sum, which is rounded half up once. */
export function priceTokens(
  { promptMicroRubPer1m, completionMicroRubPer1m }: TokenPrices,
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
): bigint {
  const exact =
    BigInt(promptTokens) * promptMicroRubPer1m + BigInt(completionTokens) * completionMicroRubPer1m
  return (exact + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE
}
