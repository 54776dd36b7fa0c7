/** Prices and contexts of models whose upstream lists none: the data of @pydantic/genai-prices. */
import { isDeepStrictEqual } from 'node:util'
import type { ModelPrice, Provider, TieredPrices } from '@pydantic/genai-prices'
import type { PriceHours, TokenRates } from '../../ledger/price-tokens.ts'
import { createProviderHttp, type ProviderAccess, readJson } from '../../providers/provider-http.ts'
import { readUsdPer1m, type UsdPrices } from './usd.ts'

/** The package's own data: its version, and the day of its release. */
export const BUNDLED = { version: '0.1.8', date: '2026-09-23' }

const NEWER_ROOT = 'https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2'
const NEWER_BYTES_MAX = 20 * 2 ** 20
const NEWER_MS_MAX = 20_000

/** Prices that depend on the time of day change at full and half hours. */
const STEP_MINUTES = 30
const STEPS = (24 * 60) / STEP_MINUTES

const RATE_KEYS = {
  prompt: 'input_mtok',
  cachedPrompt: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  completion: 'output_mtok',
  reasoning: 'output_reasoning_mtok',
} as const satisfies Record<keyof TokenRates, string>

export interface PriceBook {
  date: string
  find(id: string): { prices: UsdPrices | undefined; contextTokens: number | undefined } | undefined
}

/** Opens the book of the package for an upstream. Returns undefined if the package has none. */
export async function openPriceBook(baseUrl: string): Promise<PriceBook | undefined> {
  const { findProvider } = await import('@pydantic/genai-prices')
  const provider = findProvider({ providerApiUrl: toHttps(baseUrl) })
  return provider && (await toBook(provider, BUNDLED.date))
}

/** Fetches newer data of the book. Returns undefined if it has nothing of the upstream. */
export async function fetchPriceBook(
  baseUrl: string,
  { proxies, root = NEWER_ROOT }: Pick<ProviderAccess, 'proxies'> & { root?: string },
  stopping: AbortSignal,
): Promise<PriceBook | undefined> {
  const http = createProviderHttp({ baseUrl: root, proxies }, { accept: 'application/json' })
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(NEWER_MS_MAX)])
  const path = 'data.json'
  const answer = await http({ method: 'GET', path, bytesMax: NEWER_BYTES_MAX, signal })
  if (answer.outcome !== 'answered' || answer.status !== 200) return undefined
  try {
    const providers = readJson(answer) as Provider[]
    const provider = providers.find(({ api_pattern }) =>
      new RegExp(`^(?:${api_pattern})`).test(toHttps(baseUrl)),
    )
    return provider && (await toBook(provider, new Date().toISOString().slice(0, 10)))
  } catch {
    // It is data of others: in another shape there is none.
    return undefined
  }
}

/** The patterns of the data begin with https. */
function toHttps(url: string): string {
  return url.replace(/^http:/, 'https:')
}

async function toBook(whole: Provider, date: string): Promise<PriceBook> {
  const { calcPrice } = await import('@pydantic/genai-prices')
  // The package warns on the terminal of prices that it does not know.
  const models = whole.models.map((model) => ({
    ...model,
    prices: Array.isArray(model.prices)
      ? model.prices.map((part) => ({ ...part, prices: pickTokens(part.prices) }))
      : pickTokens(model.prices),
  }))
  const provider = { ...whole, models }
  return { date, find }

  function find(id: string): ReturnType<PriceBook['find']> {
    try {
      const priceAt = (timestamp: Date) => calcPrice({}, id, { provider, timestamp })
      const now = priceAt(new Date())
      if (now === null) return undefined
      const { prices, context_window: context } = now.model
      const isHourly =
        Array.isArray(prices) &&
        prices.some(({ constraint }) => constraint?.type === 'time_of_date')
      const steps = isHourly ? stepsOfToday().map(priceAt) : [now]
      return {
        prices: joinSteps(steps.map((step) => step && toUsdPrices(step.model_price))),
        contextTokens: Number.isSafeInteger(context) && Number(context) > 0 ? context : undefined,
      }
    } catch {
      // The package throws at a price that is none.
      return undefined
    }
  }
}

function pickTokens(prices: ModelPrice): ModelPrice {
  return Object.fromEntries(Object.values(RATE_KEYS).map((key) => [key, prices[key]]))
}

function stepsOfToday(): Date[] {
  const midnightMs = new Date().setUTCHours(0, 0, 0, 0)
  const stepMs = STEP_MINUTES * 60_000
  return Array.from({ length: STEPS }, (_, step) => new Date(midnightMs + step * stepMs))
}

/** Joins the prices of a day's steps: most steps have the base, the others become hours. */
function joinSteps(steps: readonly (UsdPrices | null | undefined)[]): UsdPrices | undefined {
  const countOf = (one: unknown) => steps.filter((other) => isDeepStrictEqual(one, other)).length
  const [base] = steps.toSorted((one, other) => countOf(other) - countOf(one))
  const hours: PriceHours[] = []
  for (const [index, step] of steps.entries()) {
    if (!step || !base) return undefined
    if (isDeepStrictEqual(step, base)) continue
    const { tiers: _, ...rates } = step
    const fromMinute = index * STEP_MINUTES
    const last = hours.at(-1)
    const isLonger = last?.toMinute === fromMinute && isDeepStrictEqual(steps[index - 1], step)
    if (last !== undefined && isLonger) last.toMinute += STEP_MINUTES
    else hours.push({ ...rates, fromMinute, toMinute: fromMinute + STEP_MINUTES })
  }
  return base && hours.length > 0 ? { ...base, hours } : (base ?? undefined)
}

/** Returns undefined if input or output has no price. */
function toUsdPrices(price: ModelPrice): UsdPrices | undefined {
  const base = toRates(price, 0)
  const starts = Object.values(price).flatMap((rate) =>
    isTiered(rate) ? rate.tiers.map(({ start }) => start) : [],
  )
  const tiers = [...new Set(starts)]
    .sort((one, other) => one - other)
    .map((start) => ({ ...toRates(price, start + 1), abovePromptTokens: start }))
  if (!isPriced(base) || !tiers.every(isPriced)) return undefined
  return tiers.length === 0 ? base : { ...base, tiers }
}

function isPriced<Rates extends Partial<TokenRates>>(rates: Rates): rates is Rates & TokenRates {
  return rates.prompt !== undefined && rates.completion !== undefined
}

function toRates(price: ModelPrice, promptTokens: number): Partial<TokenRates> {
  const rates = Object.entries(RATE_KEYS).flatMap(([name, key]) => {
    const rate = price[key]
    const usd = isTiered(rate)
      ? (rate.tiers.findLast(({ start }) => promptTokens > start)?.price ?? rate.base)
      : rate
    const microUsd = readUsdPer1m(usd)
    return microUsd === undefined ? [] : [[name, microUsd]]
  })
  return Object.fromEntries(rates)
}

function isTiered(rate: ModelPrice[string]): rate is TieredPrices {
  return typeof rate === 'object'
}
