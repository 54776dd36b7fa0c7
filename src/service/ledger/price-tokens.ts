/** What tokens cost, per 1 million, in millionths of a currency: roubles, but for a price list in dollars. */
export interface TokenRates {
  prompt: bigint
  /** Of input that the upstream had cached; undefined: that of all input. */
  cachedPrompt?: bigint | undefined
  /** Of input that the upstream adds to its cache; undefined: that of all input. */
  cacheWrite?: bigint | undefined
  completion: bigint
  /** Of output that is reasoning; undefined: that of all output. */
  reasoning?: bigint | undefined
}

/** The rates of all tokens of a request whose prompt is longer. */
export interface PriceTier extends TokenRates {
  abovePromptTokens: number
}

/** The rates of requests that begin in a part of each day, in minutes of UTC; `toMinute` is not included. */
export interface PriceHours extends TokenRates {
  fromMinute: number
  toMinute: number
}

export interface TokenPrices extends TokenRates {
  tiers?: readonly PriceTier[] | undefined
  hours?: readonly PriceHours[] | undefined
}

export interface PricedTokens {
  /** All input, cached and newly cached tokens included. */
  promptTokens: number
  cachedTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  /** All output, reasoning included. */
  completionTokens: number
  reasoningTokens?: number | undefined
}

const TOKENS_PER_PRICE = 1_000_000n

/** Returns the prices of a request that begins now. */
export function pricesAt(prices: TokenPrices, now: Date): TokenPrices {
  if (prices.hours === undefined) return prices
  const minute = now.getUTCHours() * 60 + now.getUTCMinutes()
  const hours = prices.hours.find((each) => each.fromMinute <= minute && minute < each.toMinute)
  return hours ?? prices
}

/** Prices tokens, in micro-roubles: exact until the sum, which is rounded half up once. */
export function priceTokens(prices: TokenPrices, tokens: PricedTokens): bigint {
  const { promptTokens, completionTokens } = tokens
  const { prompt, cachedPrompt, cacheWrite, completion, reasoning } = ratesAt(prices, promptTokens)
  const exact =
    BigInt(promptTokens) * prompt +
    BigInt(completionTokens) * completion +
    priceApart(tokens.cachedTokens, cachedPrompt, prompt) +
    priceApart(tokens.cacheWriteTokens, cacheWrite, prompt) +
    priceApart(tokens.reasoningTokens, reasoning, completion)
  return (exact + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE
}

/** Returns the most that so many tokens may cost: nothing is cached, each token has the highest rate within reach. */
export function priceAtMost(
  prices: TokenPrices,
  tokens: Pick<PricedTokens, 'promptTokens' | 'completionTokens'>,
): bigint {
  const tiers = prices.tiers?.filter((tier) => tokens.promptTokens > tier.abovePromptTokens) ?? []
  const reached: readonly TokenRates[] = [prices, ...tiers]
  const prompt = highest(reached.flatMap((rates) => [rates.prompt, rates.cacheWrite ?? 0n]))
  const completion = highest(reached.flatMap((rates) => [rates.completion, rates.reasoning ?? 0n]))
  return priceTokens({ prompt, completion }, tokens)
}

/** Returns the rates of a request with so long a prompt. */
export function ratesAt(prices: TokenPrices, promptTokens: number): TokenRates {
  return prices.tiers?.findLast((tier) => promptTokens > tier.abovePromptTokens) ?? prices
}

/** Without a rate of their own the count of them costs nothing, and may be anything. */
function priceApart(tokens: number | undefined, rate: bigint | undefined, usual: bigint): bigint {
  return rate === undefined || tokens === undefined ? 0n : BigInt(tokens) * (rate - usual)
}

function highest(rates: readonly bigint[]): bigint {
  return rates.reduce((most, rate) => (rate > most ? rate : most), 0n)
}
