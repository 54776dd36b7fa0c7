import { formatRub } from '../../../contract/money.ts'
import type { ChatModelConfig } from '../chat-config.ts'
import { toPriceFields } from '../price-fields.ts'
import type { ServiceConfig } from '../service-config.ts'
import { type FoundPrice, judgePrices, type KnownPrices, type PriceFault } from './judge-prices.ts'
import { findKnownUpstream } from './known-upstreams.ts'
import type { ListedModel, ListedModels } from './list-models.ts'
import type { PriceBook } from './price-book.ts'
import { toRubPrices, type UsdPrices } from './usd.ts'
import { FREE, isLocal, type OpenAiSettings } from './variables.ts'

const KEY_VARIABLE = 'OPENAI_API_KEY'
/** The upstream whose costs are charged as it reports them, where it is used by a key alone. */
const REPORTS_ITS_COST = 'openrouter.ai'

const CHOSEN_MAX = 8
const NAMED_MAX = 3
/** A context of which nothing is said. Most have more. */
const CONTEXT_TOKENS_ASSUMED = 32_768

/** Where a price is from. */
export type PriceSource = 'OPENAI_PRICES' | FoundPrice['from'] | 'local'
/** Where the size of a context is from. */
export type ContextSource = 'list' | 'book' | 'assumed'

/** A model on offer, and what its price was counted from. */
export interface OfferedModel {
  config: ChatModelConfig
  usd: UsdPrices
  priceFrom: PriceSource
  /** The day of a price that was found. */
  pricedAt: string | undefined
  contextFrom: ContextSource
  /** The reason why an old price stays, and the new one that is not taken. */
  kept?: { fault: PriceFault; next: UsdPrices | undefined } | undefined
}

export type ModelOffer =
  | { ok: true; models: readonly OfferedModel[] }
  /** `unpriced`: the models that would be offered if their prices were known. */
  | { ok: false; problem: string; unpriced: readonly string[] }

type Settings = Pick<OpenAiSettings, 'baseUrl' | 'apiKey' | 'models' | 'prices' | 'usdRate'>

/** The knowledge of prices beside the upstream's list. */
export interface PriceKnowledge {
  book?: PriceBook | undefined
  /** The prices that count. */
  known?: KnownPrices
  /** True if the list and the book are newer than what is known: a valid new price takes the place of the old one. */
  isAsking?: boolean
  /** True if the book may be older than what is known. */
  isBookOld?: boolean
}

/**
 * Decides which models are offered and at which price. A model is never offered without one.
 *
 * A price is that of OPENAI_PRICES, else the known one, else of the upstream's list, else of the book, else nothing on an
 * upstream in the operator's own network. Without a list, since the upstream did not answer, the models that are named
 * are offered, or the well-known ones.
 */
export function offerModels(
  settings: Settings,
  list: ListedModels,
  knowledge: PriceKnowledge = {},
): ModelOffer {
  const listed = new Map(list.ok ? list.models.map((model) => [model.id, model]) : [])
  const missing = list.ok ? (settings.models ?? []).filter((id) => !listed.has(id)) : []
  if (missing.length > 0) {
    return { ok: false, problem: describeMissing(missing, [...listed.keys()]), unpriced: [] }
  }
  const ids = settings.models ?? chooseModels(settings, list, knowledge)
  const baseUrl = list.ok ? list.baseUrl : settings.baseUrl
  const sources = { settings: { ...settings, baseUrl }, listed, ...knowledge }
  const offered = ids.map((id) => offerModel(id, sources))
  const models = offered.filter((model) => model !== undefined)
  const unpriced = ids.filter((_id, index) => offered[index] === undefined)
  if (settings.models === undefined ? models.length > 0 || !list.ok : unpriced.length === 0) {
    return { ok: true, models }
  }
  return {
    ok: false,
    problem: ids.length === 0 ? describeNothing(listed.size) : describeUnpriced(unpriced),
    unpriced,
  }
}

/** Makes the config of an offer: chats alone, with the key in its variable. */
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

function chooseModels(
  { baseUrl, prices }: Settings,
  list: ListedModels,
  { book, known }: PriceKnowledge,
): readonly string[] {
  const wellKnown = findKnownUpstream(baseUrl)?.prefers ?? []
  if (!list.ok) return [...new Set([...prices.keys(), ...wellKnown])].slice(0, CHOSEN_MAX)
  const chatting = new Map(
    list.models.filter(({ isChat }) => isChat).map((model) => [model.id, model]),
  )
  const first = [...prices.keys(), ...wellKnown].filter((id) => chatting.has(id))
  if (first.length > 0) return [...new Set(first)].slice(0, CHOSEN_MAX)
  const ids = [...chatting.keys()]
  const isPriced = (id: string) =>
    (chatting.get(id)?.prices ?? known?.get(id) ?? book?.find(id)?.prices) !== undefined
  const priced = ids.filter(isPriced)
  return (priced.length > 0 ? priced : ids).slice(0, CHOSEN_MAX)
}

interface Sources extends PriceKnowledge {
  settings: Settings
  listed: ReadonlyMap<string, ListedModel>
}

function offerModel(id: string, sources: Sources): OfferedModel | undefined {
  const { settings, listed, book } = sources
  const { baseUrl, apiKey, usdRate } = settings
  const price = findPrice(id, sources)
  if (price === undefined) return undefined
  const known = findKnownUpstream(baseUrl)
  const listedTokens = listed.get(id)?.contextTokens
  const bookedTokens = book?.find(id)?.contextTokens
  const config: ChatModelConfig = {
    id,
    family: findFamily(id, listed.get(id)?.ownedBy ?? known?.name ?? new URL(baseUrl).hostname),
    context_tokens: listedTokens ?? bookedTokens ?? CONTEXT_TOKENS_ASSUMED,
    ...toPriceFields(toRubPrices(price.usd, usdRate)),
    usd_rub: formatRub(usdRate.microRub),
    ...(new URL(baseUrl).host === REPORTS_ITS_COST && { price_by: 'reported' as const }),
    provider: {
      type: 'openai',
      base_url: baseUrl,
      ...(apiKey !== undefined && { api_key_env: KEY_VARIABLE }),
      model: id,
      ...(known?.outputLimit !== undefined && { output_limit: known.outputLimit }),
    },
  }
  return {
    config,
    contextFrom: listedTokens ? 'list' : bookedTokens ? 'book' : 'assumed',
    ...price,
  }
}

type Price = Pick<OfferedModel, 'usd' | 'priceFrom' | 'pricedAt' | 'kept'>

function findPrice(id: string, { settings, ...sources }: Sources): Price | undefined {
  const set = settings.prices.get(id)
  if (set !== undefined) return { usd: set, priceFrom: 'OPENAI_PRICES', pricedAt: undefined }
  const { listed, book, known, isAsking = false, isBookOld = false } = sources
  const next = findNext(listed.get(id)?.prices, book?.find(id)?.prices, book?.date)
  const old = known?.get(id)
  if (old === undefined) {
    if (next !== undefined) return toPrice(next)
    const isFree = isLocal(settings.baseUrl)
    return isFree ? { usd: FREE, priceFrom: 'local', pricedAt: undefined } : undefined
  }
  const mayBeOlder = next?.from !== 'list' && isBookOld
  if (!isAsking || mayBeOlder) return toPrice(old)
  const fault = judgePrices(old.prices, next?.prices)
  if (fault === undefined && next !== undefined) return toPrice(next)
  return { ...toPrice(old), kept: { fault: fault ?? 'missing', next: next?.prices } }
}

function findNext(
  listed: UsdPrices | undefined,
  booked: UsdPrices | undefined,
  bookDate = '',
): FoundPrice | undefined {
  if (listed !== undefined) {
    return { prices: listed, from: 'list', date: new Date().toISOString().slice(0, 10) }
  }
  return booked && { prices: booked, from: 'book', date: bookDate }
}

function toPrice({ prices, from, date }: FoundPrice): Price {
  return { usd: prices, priceFrom: from, pricedAt: date }
}

/** OpenRouter's ids begin with who made the model. */
function findFamily(id: string, otherwise: string): string {
  const [maker = '', ...name] = id.split('/')
  return name.length > 0 && maker !== '' ? maker : otherwise
}

function describeMissing(missing: readonly string[], listed: readonly string[]): string {
  const has = listed.length === 0 ? 'none' : nameSome(listed)
  return `OPENAI_MODELS: the upstream does not list ${nameSome(missing)}; it has ${has}`
}

function describeUnpriced(ids: readonly string[]): string {
  const [first = ''] = ids
  return `no price is known for ${nameSome(ids)}: OPENAI_PRICES='${first}=in/out' in dollars per 1 million tokens, or '${first}=free'`
}

function describeNothing(count: number): string {
  return `the upstream lists ${count} models, and none that chats: OPENAI_MODELS names what to offer`
}

function nameSome(ids: readonly string[]): string {
  const named = ids.slice(0, NAMED_MAX).join(', ')
  return ids.length > NAMED_MAX ? `${named} and ${ids.length - NAMED_MAX} more` : named
}
