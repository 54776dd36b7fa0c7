import { ratesAt, type TokenPrices, type TokenRates } from '../../ledger/price-tokens.ts'
import type { UsdPrices } from './usd.ts'

/** A price that a list or the price book gives, and the day of it. */
export interface FoundPrice {
  prices: UsdPrices
  from: 'list' | 'book'
  date: string
}

/** The prices that count, by the model's id: all processes have the same. */
export type KnownPrices = ReadonlyMap<string, FoundPrice>

/** The reason why an old price stays: there is no valid new one, or a part of it is more than three times the old one. */
export type PriceFault = 'missing' | 'tripled'

const TIMES_MAX = 3n
const RATES: readonly (keyof TokenRates)[] = [
  'prompt',
  'cachedPrompt',
  'cacheWrite',
  'completion',
  'reasoning',
]

/** Judges a new price by the old one. @returns The reason why the old one stays; undefined if the new one counts. */
export function judgePrices(old: UsdPrices, next: UsdPrices | undefined): PriceFault | undefined {
  if (next === undefined) return 'missing'
  const isMissing = RATES.some((rate) => old[rate] !== undefined && next[rate] === undefined)
  if (isMissing) return 'missing'
  // Between two sizes nothing changes: the beginning and each tier's first prompt stand for all prompts.
  const sizes = [0, ...[old, next].flatMap(({ tiers = [] }) => tiers.map(sizeOf))]
  const isTripled = sizes.some((size) =>
    RATES.some((rate) => highest(next, size, rate) > highest(old, size, rate) * TIMES_MAX),
  )
  return isTripled ? 'tripled' : undefined
}

function sizeOf({ abovePromptTokens }: { abovePromptTokens: number }): number {
  return abovePromptTokens + 1
}

/** Returns the highest rate of the day. */
function highest(prices: UsdPrices, promptTokens: number, rate: keyof TokenRates): bigint {
  const ofDay = [prices, ...(prices.hours ?? [])].map((each) => effective(each, promptTokens, rate))
  return ofDay.reduce((most, one) => (one > most ? one : most))
}

function effective(prices: TokenPrices, promptTokens: number, rate: keyof TokenRates): bigint {
  const rates = ratesAt(prices, promptTokens)
  return rates[rate] ?? (rate === 'reasoning' ? rates.completion : rates.prompt)
}

/** Writes prices for JSON, which has no whole numbers of this size. */
export function writeKnownPrices(known: KnownPrices): string {
  return JSON.stringify(Object.fromEntries(known), (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** Reads what `writeKnownPrices()` wrote. */
export function readKnownPrices(json: string): KnownPrices {
  const isRate = (key: string) => RATES.some((rate) => rate === key)
  const found = JSON.parse(json, (key, value: unknown) =>
    isRate(key) ? BigInt(value as string) : value,
  )
  return new Map(Object.entries(found as Record<string, FoundPrice>))
}
