/**
 * Decides at which price a model of a key is offered.
 * In: OPENAI_PRICES, the upstream's list, the price book, and the price that counted until now. Out: one price with its
 * source, or none.
 * Invariant: a new price never replaces an old one if a part of it is missing or more than three times as high.
 */
import { ratesAt, type TokenRates } from '../../ledger/price-tokens.ts'
import { RATES } from '../price-fields.ts'
import type { ListedModel } from './list-models.ts'
import type { PriceBook } from './price-book.ts'
import type { UsdPrices } from './usd.ts'
import { FREE, isLocal, type OpenAiSettings } from './variables.ts'

/** A price that a list or the price book gives. */
export interface FoundPrice {
  usd: UsdPrices
  priceFrom: 'list' | 'book'
  /** The day of the list or of the book's data. */
  pricedAt: string
}

/** The prices that count, by the model's id. */
export type KnownPrices = ReadonlyMap<string, FoundPrice>

/** The price of a model on offer. */
export type OfferedPrice =
  | { usd: UsdPrices; priceFrom: 'OPENAI_PRICES' | 'local'; pricedAt?: never; kept?: never }
  /** `kept`: the new price that is not taken; undefined in it if there is no valid one. */
  | (FoundPrice & { kept?: { next: UsdPrices | undefined } })

export interface PriceSources {
  settings: Pick<OpenAiSettings, 'baseUrl' | 'prices'>
  /** Undefined if the upstream did not list its models. */
  listed: ReadonlyMap<string, ListedModel> | undefined
  book?: PriceBook | undefined
  known?: KnownPrices | undefined
}

/** Returns the price of a model; undefined if no source has one. */
export function priceOf(id: string, sources: PriceSources): OfferedPrice | undefined {
  const { settings, listed, book, known } = sources
  const set = settings.prices.get(id)
  if (set !== undefined) return { usd: set, priceFrom: 'OPENAI_PRICES' }
  const next = findNext(id, sources)
  const old = known?.get(id)
  if (old === undefined) {
    const free = { usd: FREE, priceFrom: 'local' } as const
    return next ?? (isLocal(settings.baseUrl) ? free : undefined)
  }
  const isOfBook = old.priceFrom === 'book' && next?.priceFrom !== 'list'
  const isNewer = isOfBook && book !== undefined && old.pricedAt > book.date
  if (listed === undefined || isNewer) return old
  const fault = judgePrices(old.usd, next?.usd)
  if (fault === undefined) return next
  return { ...old, kept: { next: fault === 'tripled' ? next?.usd : undefined } }
}

function findNext(id: string, { listed, book }: PriceSources): FoundPrice | undefined {
  const ofList = listed?.get(id)?.prices
  if (ofList !== undefined) {
    return { usd: ofList, priceFrom: 'list', pricedAt: new Date().toISOString().slice(0, 10) }
  }
  const ofBook = book?.find(id)?.prices
  return ofBook && { usd: ofBook, priceFrom: 'book', pricedAt: book?.date ?? '' }
}

const TIMES_MAX = 3n

/** Returns why an old price stays; undefined if the new one counts. */
export function judgePrices(
  old: UsdPrices,
  next: UsdPrices | undefined,
): 'missing' | 'tripled' | undefined {
  const isMissing = RATES.some((rate) => old[rate] !== undefined && next?.[rate] === undefined)
  if (next === undefined || isMissing) return 'missing'
  // Between two sizes nothing changes: the beginning and each tier's first prompt stand for all prompts.
  const tiers = [old, next].flatMap((prices) => prices.tiers ?? [])
  const sizes = [0, ...tiers.map(({ abovePromptTokens }) => abovePromptTokens + 1)]
  const isTripled = sizes.some((size) =>
    RATES.some((rate) => highest(next, size, rate) > highest(old, size, rate) * TIMES_MAX),
  )
  return isTripled ? 'tripled' : undefined
}

/** Returns the highest rate of the day. */
function highest(prices: UsdPrices, promptTokens: number, rate: keyof TokenRates): bigint {
  return [prices, ...(prices.hours ?? [])].reduce((most, part) => {
    const rates = ratesAt(part, promptTokens)
    const one = rates[rate] ?? (rate === 'reasoning' ? rates.completion : rates.prompt)
    return one > most ? one : most
  }, 0n)
}
