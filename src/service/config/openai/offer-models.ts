/**
 * Makes the offer of a key: which models of its upstream are sold, each at which price.
 * In: OPENAI_API_KEY and the variables beside it, the upstream's list, and the sources of prices. Out: models, and the
 * config that sells them, or one sentence about what is missing.
 * Invariant: a model is never offered without a price.
 */
import { formatRub } from '../../../contract/money.ts'
import type { Proxies } from '../../../platform/http/proxies.ts'
import type { ChatModelConfig } from '../chat-config.ts'
import { toPriceFields } from '../price-fields.ts'
import type { ServiceConfig } from '../service-config.ts'
import { type OfferedPrice, type PriceSources, priceOf } from './judge-prices.ts'
import { findKnownUpstream } from './known-upstreams.ts'
import { type ListedModels, listModels, toTrouble, type UpstreamTrouble } from './list-models.ts'
import { openPriceBook } from './price-book.ts'
import { toRubPrices } from './usd.ts'
import type { OpenAiSettings } from './variables.ts'

const KEY_VARIABLE = 'OPENAI_API_KEY'
/** The upstream whose costs are charged as it reports them, where it is used by a key alone. */
const REPORTS_ITS_COST = 'openrouter.ai'

const CHOSEN_MAX = 8
const NAMED_MAX = 3
/** A context of which nothing is said. Most have more. */
const CONTEXT_TOKENS_ASSUMED = 32_768

/** A model on offer, and what its price was counted from. */
export type OfferedModel = OfferedPrice & {
  config: ChatModelConfig
  contextFrom: 'list' | 'book' | 'assumed'
}

export type ReadOffer =
  | {
      ok: true
      config: ServiceConfig
      models: readonly OfferedModel[]
      /** Why it is made without the upstream's list. It is to be made again. */
      trouble: UpstreamTrouble | undefined
    }
  /** `unpriced`: the models that would be offered if their prices were known. */
  | { ok: false; problems: string[]; unpriced: readonly string[] }

/** Asks the upstream of a key for its models, and makes the offer. */
export async function readOffer(
  settings: OpenAiSettings,
  signal: AbortSignal,
  proxies?: Proxies,
): Promise<ReadOffer> {
  const { baseUrl, apiKey } = settings
  const list = await listModels({ baseUrl, apiKey, proxies }, signal)
  return offerModels(settings, list, { book: await openPriceBook(baseUrl) })
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

/**
 * Decides which models are offered: those of OPENAI_MODELS, else the well-known ones, else the first that have a price.
 * Without a list, since the upstream did not answer, the models that are named are offered, or the well-known ones.
 */
export function offerModels(
  settings: OpenAiSettings,
  list: ListedModels,
  knowledge: Pick<PriceSources, 'book' | 'known'> = {},
): ReadOffer {
  const listed = list.ok ? new Map(list.models.map((model) => [model.id, model])) : undefined
  const missing = settings.models?.filter((id) => listed?.has(id) === false) ?? []
  if (missing.length > 0) {
    const has = nameSome([...(listed?.keys() ?? [])]) || 'none'
    const problem = `OPENAI_MODELS: the upstream does not list ${nameSome(missing)}; it has ${has}`
    return { ok: false, problems: [problem], unpriced: [] }
  }
  const baseUrl = list.ok ? list.baseUrl : settings.baseUrl
  const sources: Sources = { ...knowledge, settings: { ...settings, baseUrl }, listed }
  const ids = settings.models ?? chooseModels(sources)
  const offered = ids.map((id) => offerModel(id, sources))
  const models = offered.filter((model) => model !== undefined)
  const unpriced = ids.filter((_id, index) => offered[index] === undefined)
  const isEnough =
    settings.models === undefined ? models.length > 0 || !list.ok : unpriced.length === 0
  if (isEnough) {
    const trouble = list.ok ? undefined : toTrouble(list, settings)
    return { ok: true, config: toServiceConfig(models, settings), models, trouble }
  }
  const [first] = unpriced
  const problem =
    first === undefined
      ? `the upstream lists ${listed?.size} models, and none that chats: OPENAI_MODELS names what to offer`
      : `no price is known for ${nameSome(unpriced)}: OPENAI_PRICES='${first}=in/out' in dollars per 1 million tokens, or '${first}=free'`
  return { ok: false, problems: [problem], unpriced }
}

interface Sources extends PriceSources {
  settings: OpenAiSettings
}

function chooseModels({ settings, listed, book, known }: Sources): readonly string[] {
  const wellKnown = findKnownUpstream(settings.baseUrl)?.prefers ?? []
  const named = [...new Set([...settings.prices.keys(), ...wellKnown])]
  if (listed === undefined) return named.slice(0, CHOSEN_MAX)
  const chatting = [...listed.values()].filter(({ isChat }) => isChat)
  const first = named.filter((id) => chatting.some((model) => model.id === id))
  if (first.length > 0) return first.slice(0, CHOSEN_MAX)
  const priced = chatting.filter(
    ({ id, prices }) => (prices ?? known?.get(id) ?? book?.find(id)?.prices) !== undefined,
  )
  return (priced.length > 0 ? priced : chatting).slice(0, CHOSEN_MAX).map(({ id }) => id)
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
    ...toPriceFields(toRubPrices(price.usd, usdRate)),
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

function nameSome(ids: readonly string[]): string {
  const named = ids.slice(0, NAMED_MAX).join(', ')
  return ids.length > NAMED_MAX ? `${named} and ${ids.length - NAMED_MAX} more` : named
}
