import { formatRub } from '../../contract/money.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { type ListedModels, listModels } from '../../service/config/openai/list-models.ts'
import {
  describeRate,
  type OfferedModel,
  offerModels,
} from '../../service/config/openai/offer-models.ts'
import { openPriceBook, type PriceBook } from '../../service/config/openai/price-book.ts'
import {
  findOwnerOfKey,
  isLocal,
  KNOWN_UPSTREAMS,
  OPENAI_BASE_URL,
  type OpenAiSettings,
  parseBaseUrl,
  parseModels,
  parsePrices,
} from '../../service/config/openai/settings.ts'
import type { UsdPrices } from '../../service/config/openai/usd.ts'
import { describeTrial, tryModel } from '../models.ts'
import { askFor, type Conversation, readOrSay, type SetupStep } from './conversation.ts'
import type { Env } from './env-file.ts'

const VARIABLES = 'OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODELS OPENAI_PRICES USD_RUB'.split(' ')

interface Access {
  apiKey: string | undefined
  baseUrl: string | undefined
  isTried?: boolean
}

/** Asks for a key and its upstream, tries them with `GET /models` and one answer, and asks which models to offer. */
export const askUpstream: SetupStep = async (conversation, env) => {
  const { say } = conversation
  const names = KNOWN_UPSTREAMS.map(({ name }) => name).join(', ')
  say(`2. The models: a key of ${names}, or of another provider with OpenAI's API
   Ollama, LM Studio, vLLM and llama.cpp on your own machine need no key.`)
  for (const name of ['SERVICE_CONFIG', 'SERVICE_URL'].filter((name) => env[name])) {
    say(`${name} is set and decides which models answer: unset it to use models of a key.`)
  }
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = env
  for (let kept: Access = { apiKey, baseUrl }; ; ) {
    const access = await askAccess(conversation, kept)
    if (access.baseUrl === undefined) return toChanges()
    kept = { ...access, isTried: true }
    const changes = await tryAccess(conversation, env, access)
    if (changes !== undefined) return changes
  }
}

async function askAccess(conversation: Conversation, kept: Access): Promise<Access> {
  const apiKey = await askFor(conversation, {
    name: 'Key',
    kept: kept.apiKey,
    without: 'none',
    isSecret: true,
    // The address is asked next: a key of any form may be right at some address.
    toEnv: (key) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: proposeBaseUrl(key, kept) }),
  })
  const owner = findOwnerOfKey(apiKey ?? '')
  if (owner !== undefined) conversation.say(`It looks like a key of ${owner.name}.`)
  const withoutKey = 'Address of an API without a key, http://localhost:11434/v1'
  const answer = await askFor(conversation, {
    name: apiKey ? 'Address of its API, or a name from the list above' : withoutKey,
    kept: proposeBaseUrl(apiKey, kept),
    without: 'none, demo models answer',
    toEnv: (address) => ({ OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: findAddress(address) }),
  })
  return { apiKey, baseUrl: answer && findAddress(answer) }
}

function findAddress(words: string): string {
  const isNamed = ({ name }: { name: string }) => name.toLowerCase() === words.toLowerCase()
  return KNOWN_UPSTREAMS.find(isNamed)?.baseUrl ?? words
}

function proposeBaseUrl(apiKey: string | undefined, kept: Access): string | undefined {
  const keptUrl = parseBaseUrl(kept.baseUrl ?? '')
  const isLocalUrl = keptUrl !== undefined && isLocal(keptUrl)
  if (apiKey === undefined) return isLocalUrl ? keptUrl : undefined
  // A gateway in a private network accepts keys of any form.
  const isGateway = isLocalUrl && (kept.isTried || apiKey === kept.apiKey)
  const owner = isGateway ? undefined : findOwnerOfKey(apiKey)
  return owner?.baseUrl ?? keptUrl ?? OPENAI_BASE_URL
}

async function tryAccess(
  conversation: Conversation,
  env: Env,
  access: Access,
): Promise<Env | undefined> {
  const { say, confirm } = conversation
  const { USD_RUB, UPSTREAM_PROXY } = env
  const given = { OPENAI_API_KEY: access.apiKey, OPENAI_BASE_URL: access.baseUrl }
  const config = readOrSay(conversation, { ...given, USD_RUB, UPSTREAM_PROXY })
  if (config?.openAi === undefined) return undefined
  const { upstream: proxies } = openProxies(config)
  const settings = withModelsOf(env, config.openAi)
  const { baseUrl, apiKey } = settings
  const { signal } = new AbortController()
  say(`Asking ${new URL(baseUrl).host} for its models …`)
  const list = await listModels({ baseUrl, apiKey, proxies }, signal)
  if (!list.ok) {
    const { kind, sentence } = list.trouble
    say(`${sentence}.`)
    const mayBeRight = kind === 'unreachable' || kind === 'unavailable'
    const isKept = mayBeRight && (await confirm('Keep it untried?', { initial: false }))
    return isKept ? toChanges(settings) : undefined
  }
  if (list.models.length === 0) {
    say('It lists no models.')
    return undefined
  }
  const found = { ...settings, baseUrl: list.baseUrl }
  const book = await openPriceBook(list.baseUrl)
  const chosen = await askModels(conversation, found, { ...list, book })
  const [model] = chosen.models
  if (model === undefined) throw new TypeError('No model was chosen')
  say(`Asking ${model.config.id} for one token …`)
  const trial = await tryModel(model, { apiKey, proxies }, signal)
  say(`It ${describeTrial(trial)}.`)
  const isKept = trial.answers || (await confirm('Keep it anyway?', { initial: false }))
  return isKept ? toChanges(chosen.settings, chosen) : undefined
}

/** Models and prices that are set count for the upstream that is set. */
function withModelsOf(env: Env, settings: OpenAiSettings): OpenAiSettings {
  const isSame = (parseBaseUrl(env.OPENAI_BASE_URL ?? '') ?? OPENAI_BASE_URL) === settings.baseUrl
  if (!isSame) return settings
  const models = parseModels(env.OPENAI_MODELS ?? '')
  return { ...settings, models, prices: parsePrices(env.OPENAI_PRICES ?? '') ?? settings.prices }
}

/** The models that an upstream lists, and the book of prices that it does not list. */
type Listed = Extract<ListedModels, { ok: true }> & { book: PriceBook | undefined }

interface ChosenModels {
  models: readonly OfferedModel[]
  settings: OpenAiSettings
  /** True if a start chooses the same models by itself. */
  isUsual: boolean
}

/** Asks which of the listed models to offer, and asks for unknown prices. */
export async function askModels(
  { ask, choose }: Conversation,
  given: OpenAiSettings,
  { book, ...whole }: Listed,
): Promise<ChosenModels> {
  // OPENAI_MODELS cannot have a name with a comma.
  const list = { ...whole, models: whole.models.filter(({ id }) => !id.includes(',')) }
  const offer = (settings: OpenAiSettings) => offerModels(settings, list, { book })
  const listed = list.models.map(({ id }) => id)
  const usualOffer = offer({ ...given, models: undefined })
  const usual = usualOffer.ok
    ? usualOffer.models.map(({ config }) => config.id)
    : usualOffer.unpriced
  const proposed = given.models?.every((id) => listed.includes(id)) ? given.models : usual
  const labels = [...new Set([...proposed, ...listed])].map((id): [string, string] => {
    const offered = offer({ ...given, models: [id] })
    const [model] = offered.ok ? offered.models : []
    return [id, model === undefined ? '?' : describePrice(model)]
  })
  const question = `Which models? Prices per 1 million tokens in / out. ${describeRate(given)}`
  const ids = await choose(question, { labels: new Map(labels), initial: proposed })
  for (let settings: OpenAiSettings = { ...given, models: ids }; ; ) {
    const offered = offer(settings)
    if (offered.ok) {
      return { models: offered.models, settings, isUsual: usual.join() === ids.join() }
    }
    const [unpriced] = offered.unpriced
    // All chosen models are listed, so only a price can be missing.
    if (unpriced === undefined) throw new TypeError(offered.problems.join())
    const how = 'Dollars per 1 million tokens in and out, like 0.25/2, or free'
    const answer = await ask(`The price of ${unpriced} is unknown. ${how}`)
    const prices = parsePrices(`${unpriced}=${answer}`) ?? []
    settings = { ...settings, prices: new Map([...settings.prices, ...prices]) }
  }
}

function describePrice({ usd, config }: OfferedModel): string {
  const dollars = `$${formatRub(usd.prompt)} / $${formatRub(usd.completion)}`
  return `${dollars}, ₽${config.prompt_rub_per_1m} / ₽${config.completion_rub_per_1m}`
}

function toChanges(settings?: OpenAiSettings, { isUsual } = { isUsual: false }): Env {
  // Kopeck does not start with a rate alone.
  if (settings === undefined) return Object.fromEntries(VARIABLES.map((name) => [name, undefined]))
  const { apiKey, baseUrl, models, prices } = settings
  const written = [...prices].map(([id, price]) => `${id}=${writePrice(price)}`)
  return {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: baseUrl === OPENAI_BASE_URL ? undefined : baseUrl,
    OPENAI_MODELS: isUsual ? undefined : models?.join(','),
    OPENAI_PRICES: written.join(',') || undefined,
  }
}

function writePrice({ prompt, completion }: UsdPrices): string {
  const isFree = prompt === 0n && completion === 0n
  return isFree ? 'free' : `${formatRub(prompt)}/${formatRub(completion)}`
}
