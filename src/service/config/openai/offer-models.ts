import { formatRub } from '../../../contract/money.ts'
import type { ChatModelConfig } from '../chat-config.ts'
import type { ServiceConfig } from '../service-config.ts'
import { findKnownUpstream } from './known-upstreams.ts'
import type { ListedModel, ListedModels } from './list-models.ts'
import { toMicroRubPer1m, type UsdPrices } from './usd.ts'
import { isLocal, type OpenAiSettings } from './variables.ts'

const KEY_VARIABLE = 'OPENAI_API_KEY'

const CHOSEN_MAX = 8
const NAMED_MAX = 3
/** A context of which nothing is said. Most have more. */
const CONTEXT_TOKENS_ASSUMED = 32_768

/** Where a price is from. */
export type PriceSource = 'OPENAI_PRICES' | 'list' | 'table' | 'local'
/** Where the size of a context is from. */
export type ContextSource = 'list' | 'table' | 'assumed'

/** A model on offer, and what its price was counted from. */
export interface OfferedModel extends UsdPrices {
  config: ChatModelConfig
  priceFrom: PriceSource
  contextFrom: ContextSource
}

export type ModelOffer =
  | { ok: true; models: readonly OfferedModel[] }
  /** `unpriced`: the models that would be offered if their prices were known. */
  | { ok: false; problem: string; unpriced: readonly string[] }

type Settings = Pick<OpenAiSettings, 'baseUrl' | 'apiKey' | 'models' | 'prices' | 'usdRate'>

/**
 * Decides which models are offered and at which price. A model is never offered without one.
 *
 * A price is that of OPENAI_PRICES, else of the upstream's list, else of the table, else nothing on an upstream in the
 * operator's own network. Without a list, since the upstream did not answer, the models that are named are offered, or
 * those of the table.
 */
export function offerModels(settings: Settings, list: ListedModels): ModelOffer {
  const listed = new Map(list.ok ? list.models.map((model) => [model.id, model]) : [])
  const missing = list.ok ? (settings.models ?? []).filter((id) => !listed.has(id)) : []
  if (missing.length > 0) {
    return { ok: false, problem: describeMissing(missing, [...listed.keys()]), unpriced: [] }
  }
  const ids = settings.models ?? chooseModels(settings, list)
  const baseUrl = list.ok ? list.baseUrl : settings.baseUrl
  const offered = ids.map((id) => offerModel(id, { settings: { ...settings, baseUrl }, listed }))
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

function chooseModels({ baseUrl, prices }: Settings, list: ListedModels): readonly string[] {
  const known = findKnownUpstream(baseUrl)
  const wellKnown = [...(known?.models.keys() ?? []), ...(known?.prefers ?? [])]
  if (!list.ok) return [...new Set([...prices.keys(), ...wellKnown])].slice(0, CHOSEN_MAX)
  const chatting = new Map(
    list.models.filter(({ isChat }) => isChat).map((model) => [model.id, model]),
  )
  const first = [...prices.keys(), ...wellKnown].filter((id) => chatting.has(id))
  if (first.length > 0) return [...new Set(first)].slice(0, CHOSEN_MAX)
  const ids = [...chatting.keys()]
  const priced = ids.filter((id) => chatting.get(id)?.prices !== undefined)
  return (priced.length > 0 ? priced : ids).slice(0, CHOSEN_MAX)
}

function offerModel(
  id: string,
  { settings, listed }: { settings: Settings; listed: ReadonlyMap<string, ListedModel> },
): OfferedModel | undefined {
  const { baseUrl, apiKey, usdRate } = settings
  const known = findKnownUpstream(baseUrl)
  const price = findPrice(id, { settings, listed })
  if (price === undefined) return undefined
  const { promptMicroUsdPer1m, completionMicroUsdPer1m, from: priceFrom } = price
  const listedTokens = listed.get(id)?.contextTokens
  const tableTokens = known?.models.get(id)?.contextTokens
  const contextFrom = listedTokens ? 'list' : tableTokens ? 'table' : 'assumed'
  const config: ChatModelConfig = {
    id,
    family: findFamily(id, listed.get(id)?.ownedBy ?? known?.name ?? new URL(baseUrl).hostname),
    context_tokens: listedTokens ?? tableTokens ?? CONTEXT_TOKENS_ASSUMED,
    prompt_rub_per_1m: formatRub(toMicroRubPer1m(promptMicroUsdPer1m, usdRate)),
    completion_rub_per_1m: formatRub(toMicroRubPer1m(completionMicroUsdPer1m, usdRate)),
    usd_rub: formatRub(usdRate.microRub),
    provider: {
      type: 'openai',
      base_url: baseUrl,
      ...(apiKey !== undefined && { api_key_env: KEY_VARIABLE }),
      model: id,
      ...(known?.outputLimit !== undefined && { output_limit: known.outputLimit }),
    },
  }
  return { config, priceFrom, contextFrom, promptMicroUsdPer1m, completionMicroUsdPer1m }
}

function findPrice(
  id: string,
  { settings, listed }: { settings: Settings; listed: ReadonlyMap<string, ListedModel> },
): (UsdPrices & { from: PriceSource }) | undefined {
  const { baseUrl, prices } = settings
  const told = prices.get(id)
  if (told !== undefined) return { ...told, from: 'OPENAI_PRICES' }
  const inList = listed.get(id)?.prices
  if (inList !== undefined) return { ...inList, from: 'list' }
  const inTable = findKnownUpstream(baseUrl)?.models.get(id)
  if (inTable !== undefined) return { ...inTable, from: 'table' }
  if (!isLocal(baseUrl)) return undefined
  return { promptMicroUsdPer1m: 0n, completionMicroUsdPer1m: 0n, from: 'local' }
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
