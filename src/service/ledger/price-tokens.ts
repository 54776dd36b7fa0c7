/** Micro-roubles per 1 million tokens, of input and of output. */
export interface TokenPrices {
  promptMicroRubPer1m: bigint
  /** The price of input that the upstream had cached; undefined: that of all input. */
  cachedPromptMicroRubPer1m?: bigint | undefined
  completionMicroRubPer1m: bigint
}

/** Tokens of one answer. */
export interface PricedTokens {
  promptTokens: number
  cachedTokens?: number | undefined
  completionTokens: number
}

const TOKENS_PER_PRICE = 1_000_000n

/** Prices tokens, in micro-roubles: exact until the sum, which is rounded half up once. */
export function priceTokens(
  { promptMicroRubPer1m, cachedPromptMicroRubPer1m, completionMicroRubPer1m }: TokenPrices,
  { promptTokens, cachedTokens = 0, completionTokens }: PricedTokens,
): bigint {
  const exact =
    BigInt(promptTokens) * promptMicroRubPer1m + BigInt(completionTokens) * completionMicroRubPer1m
  // Without a price of its own the count of them costs nothing, and may be anything.
  const less =
    cachedPromptMicroRubPer1m === undefined
      ? 0n
      : BigInt(cachedTokens) * (promptMicroRubPer1m - cachedPromptMicroRubPer1m)
  return (exact - less + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE
}
