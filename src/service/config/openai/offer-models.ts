/**
 * Makes the offer of a key: which models of its upstream are sold, each at which price.
 * Invariants: a model is never offered without a price; a new price never replaces an old one if a part of it is missing
 * or more than three times as high.
 */
import { formatRub } from '../../../contract/money.ts'
import { ratesAt, type TokenRates } from '../../ledger/price-tokens.ts'
import type { ChatModelConfig } from '../chat-config.ts'
import { RATES, toPriceFields } from '../price-fields.ts'
import type { ServiceConfig } from '../service-config.ts'
import type { ListedModel, ListedModels, UpstreamTrouble } from './list-models.ts'
import type { PriceBook } from './price-book.ts'
import { findKnownUpstream, isLocal, type OpenAiSettings } from './settings.ts'
import { FREE, toRub, type UsdPrices } from './usd.ts'

const KEY_VARIABLE = 'OPENAI_API_KEY'
/** The upstream whose costs are charged as it reports them, where it is used by a key alone. */
const REPORTS_ITS_COST = 'openrouter.ai'

const CHOSEN_MAX = 8
const NAMED_MAX = 3
/** Most have more. */
const CONTEXT_TOKENS_ASSUMED = 32_768
/** A new price may be at most so many times as high as the old one. */
const TIMES_MAX = 3n

export interface FoundPrice {
  usd: UsdPrices
  priceFrom: 'OPENAI_PRICES' | 'list' | 'book' | 'local'
  pricedAt?: string
}

/** The prices of lists and the book that count, by the model's id. */
export type KnownPrices = ReadonlyMap<string, FoundPrice>

interface OfferedPrice extends FoundPrice {
  /** The new price that is not taken; undefined in it if there is no valid one. */
  kept?: { next: UsdPrices | undefined }
}

export interface OfferedModel extends OfferedPrice {
  config: ChatModelConfig
  contextFrom: 'list' | 'book' | 'assumed'
}

interface Offer {
  ok: true
  config: ServiceConfig
  models: readonly OfferedModel[]
  /** The reason why it is made without the upstream's list. It is to be made again. */
  trouble: UpstreamTrouble | undefined
}
/** `unpriced`: the models that would be offered if their prices were known. */
export type ReadOffer = Offer | { ok: false; problems: string[]; unpriced: readonly string[] }

interface PriceKnowledge {
  book?: PriceBook | undefined
  known?: KnownPrices | undefined
}

interface Sources extends PriceKnowledge {
  settings: OpenAiSettings
  listed: ReadonlyMap<string, ListedModel> | undefined
}

export function toServiceConfig(
  models: readonly OfferedModel[],
  { apiKey }: Pick<OpenAiSettings, 'apiKey'>,
): ServiceConfig {
  return {
    chat: { models: models.map(({ config }) => config) },
    generation: {},
    keys: new Map(apiKey === undefined ? [] : [[KEY_VARIABLE, apiKey]]),
  }
}

/** Offers the models of OPENAI_MODELS, else well-known ones, else the first priced ones; unlisted ones without a list. */
export function offerModels(
  settings: OpenAiSettings,
  list: ListedModels,
  knowledge: PriceKnowledge = {},
): ReadOffer {
  const listed = list.ok ? new Map(list.models.map((model) => [model.id, model])) : undefined
  const missing = settings.models?.filter((id) => listed?.has(id) === false) ?? []
  if (missing.length > 0) {
    const has = nameSome([...(listed?.keys() ?? [])]) || 'none'
    const problem = `OPENAI_MODELS: the upstream does not list ${nameSome(missing)}; it has ${has}`
    return { ok: false, problems: [problem], unpriced: [] }
  }
  const baseUrl = list.ok ? list.baseUrl : settings.baseUrl
  const sources = { ...knowledge, settings: { ...settings, baseUrl }, listed }
  const ids = settings.models ?? chooseModels(sources)
  const offered = ids.map((id) => offerModel(id, sources))
  const models = offered.filter((model) => model !== undefined)
  const unpriced = ids.filter((_id, index) => offered[index] === undefined)
  const isChosen = settings.models === undefined
  if (isChosen ? models.length > 0 || !list.ok : unpriced.length === 0) {
    const trouble = list.ok ? undefined : list.trouble
    return { ok: true, config: toServiceConfig(models, settings), models, trouble }
  }
  const [first] = unpriced
  const problem =
    first === undefined
      ? `the upstream lists ${listed?.size} models, and none that chats: OPENAI_MODELS names what to offer`
      : `no price is known for ${nameSome(unpriced)}: OPENAI_PRICES='${first}=in/out' in dollars per 1 million tokens, or '${first}=free'`
  return { ok: false, problems: [problem], unpriced }
}

function chooseModels(sources: Sources): readonly string[] {
  const { settings, listed, known } = sources
  const wellKnown = findKnownUpstream(settings.baseUrl)?.prefers ?? []
  const named = [...new Set([...settings.prices.keys(), ...wellKnown])]
  if (listed === undefined) return named.slice(0, CHOSEN_MAX)
  const chatting = [...listed.values()].filter(({ isChat }) => isChat).map(({ id }) => id)
  const first = named.filter((id) => chatting.includes(id))
  if (first.length > 0) return first.slice(0, CHOSEN_MAX)
  const priced = chatting.filter((id) => (findPrice(id, sources) ?? known?.get(id)) !== undefined)
  return (priced.length > 0 ? priced : chatting).slice(0, CHOSEN_MAX)
}

function offerModel(id: string, sources: Sources): OfferedModel | undefined {
  const { settings, listed, book } = sources
  const { baseUrl, apiKey, usdRate } = settings
  const price = priceOf(id, sources)
  if (price === undefined) return undefined
  const upstream = findKnownUpstream(baseUrl)
  const { host, hostname } = new URL(baseUrl)
  const listedTokens = listed?.get(id)?.contextTokens
  const bookedTokens = book?.find(id)?.contextTokens
  // OpenRouter's ids begin with who made the model.
  const maker = /^([^/]+)\//.exec(id)?.[1]
  const config: ChatModelConfig = {
    id,
    family: maker ?? listed?.get(id)?.ownedBy ?? upstream?.name ?? hostname,
    context_tokens: listedTokens ?? bookedTokens ?? CONTEXT_TOKENS_ASSUMED,
    ...toPriceFields(price.usd, (microUsd) => toRub(microUsd, usdRate)),
    usd_rub: formatRub(usdRate.microRub),
    ...(host === REPORTS_ITS_COST && { price_by: 'reported' as const }),
    provider: {
      type: 'openai',
      base_url: baseUrl,
      ...(apiKey !== undefined && { api_key_env: KEY_VARIABLE }),
      model: id,
      ...(upstream?.outputLimit !== undefined && { output_limit: upstream.outputLimit }),
    },
  }
  const contextFrom = listedTokens ? 'list' : bookedTokens ? 'book' : 'assumed'
  return { config, contextFrom, ...price }
}

function priceOf(id: string, sources: Sources): OfferedPrice | undefined {
  const { settings, listed, book, known } = sources
  const set = settings.prices.get(id)
  if (set !== undefined) return { usd: set, priceFrom: 'OPENAI_PRICES' }
  const next = findPrice(id, sources)
  const old = known?.get(id)
  if (old === undefined) {
    return next ?? (isLocal(settings.baseUrl) ? { usd: FREE, priceFrom: 'local' } : undefined)
  }
  const { priceFrom, pricedAt = '' } = old
  const isOfBook = priceFrom === 'book' && next?.priceFrom !== 'list'
  const isNewer = isOfBook && book !== undefined && pricedAt > book.date
  if (listed === undefined || isNewer) return old
  if (next === undefined || isPartMissing(old.usd, next.usd)) {
    return { ...old, kept: { next: undefined } }
  }
  return isTooHigh(old.usd, next.usd) ? { ...old, kept: { next: next.usd } } : next
}

function findPrice(id: string, { listed, book }: Sources): FoundPrice | undefined {
  const ofList = listed?.get(id)?.prices
  if (ofList !== undefined) {
    return { usd: ofList, priceFrom: 'list', pricedAt: new Date().toISOString().slice(0, 10) }
  }
  const ofBook = book?.find(id)?.prices
  return book && ofBook && { usd: ofBook, priceFrom: 'book', pricedAt: book.date }
}

function isPartMissing(old: UsdPrices, next: UsdPrices): boolean {
  return RATES.some((rate) => old[rate] !== undefined && next[rate] === undefined)
}

function isTooHigh(old: UsdPrices, next: UsdPrices): boolean {
  // Between two sizes nothing changes: the beginning and each tier's first prompt stand for all prompts.
  const tiers = [old, next].flatMap((prices) => prices.tiers ?? [])
  const sizes = [0, ...tiers.map(({ abovePromptTokens }) => abovePromptTokens + 1)]
  return sizes.some((size) =>
    RATES.some((rate) => highest(next, size, rate) > highest(old, size, rate) * TIMES_MAX),
  )
}

function highest(prices: UsdPrices, promptTokens: number, rate: keyof TokenRates): bigint {
  return [prices, ...(prices.hours ?? [])].reduce((most, part) => {
    const rates = ratesAt(part, promptTokens)
    const one = rates[rate] ?? (rate === 'reasoning' ? rates.completion : rates.prompt)
    return one > most ? one : most
  }, 0n)
}

function nameSome(ids: readonly string[]): string {
  const named = ids.slice(0, NAMED_MAX).join(', ')
  return ids.length > NAMED_MAX ? `${named} and ${ids.length - NAMED_MAX} more` : named
}

export function describeRate({ usdRate }: Pick<OpenAiSettings, 'usdRate'>): string {
  return `A dollar is ₽${formatRub(usdRate.microRub)} (${usdRate.from}).`
}

export function describeSource({ priceFrom, pricedAt }: OfferedModel, baseUrl: string): string {
  if (priceFrom === 'OPENAI_PRICES') return priceFrom
  if (priceFrom === 'local') return 'a local upstream'
  return `${priceFrom === 'book' ? 'genai-prices' : `the list of ${new URL(baseUrl).host}`}, ${pricedAt}`
}
