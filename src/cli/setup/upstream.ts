import { formatRub } from '../../contract/money.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { type ListedModels, listModels } from '../../service/config/openai/list-models.ts'
import {
  describeRate,
  type OfferedModel,
  offerModels,
  toServiceConfig,
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
import { tryUpstreams } from '../models.ts'
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
  let kept: Access = { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL }
  for (;;) {
    const access = await askAccess(conversation, kept)
    // Kopeck does not start with models, prices or a rate alone.
    if (access.baseUrl === undefined) {
      return Object.fromEntries(VARIABLES.map((name) => [name, undefined]))
    }
    kept = { ...access, isTried: true }
    const settings = await tryAccess(conversation, env, access)
    if (settings !== undefined) return toChanges(settings)
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

/** Returns the settings that the user keeps; undefined asks for the access again. */
async function tryAccess(
  conversation: Conversation,
  env: Env,
  { apiKey, baseUrl }: Access,
): Promise<OpenAiSettings | undefined> {
  const { say, confirm } = conversation
  const { OPENAI_MODELS, OPENAI_PRICES, USD_RUB, UPSTREAM_PROXY } = env
  const root = parseBaseUrl(env.OPENAI_BASE_URL ?? OPENAI_BASE_URL)
  const config = readOrSay(conversation, {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: baseUrl,
    // Models and prices that are set count for the upstream that is set.
    ...(root === parseBaseUrl(baseUrl ?? '') && { OPENAI_MODELS, OPENAI_PRICES }),
    USD_RUB,
    UPSTREAM_PROXY,
  })
  if (config?.openAi === undefined) return undefined
  const { openAi: settings } = config
  const access = { ...settings, proxies: openProxies(config).upstream }
  const { signal } = new AbortController()
  say(`Asking ${new URL(access.baseUrl).host} for its models …`)
  const list = await listModels(access, signal)
  if (!list.ok) {
    const { kind, sentence } = list.trouble
    say(`${sentence}.`)
    const mayBeRight = kind === 'unreachable' || kind === 'unavailable'
    const isKept = mayBeRight && (await confirm('Keep it untried?', { initial: false }))
    return isKept ? settings : undefined
  }
  const book = await openPriceBook(list.baseUrl)
  const found = { ...settings, baseUrl: list.baseUrl }
  const chosen = await askModels(conversation, found, { list, book })
  const [model] = chosen?.models ?? []
  if (chosen === undefined || model === undefined) return undefined
  const { proxies } = access
  const offer = toServiceConfig([model], settings)
  const [trial] = await tryUpstreams(offer, { proxies, report: say })
  say(`${model.config.id} ${trial?.said}.`)
  const isKept = trial?.answers || (await confirm('Keep it anyway?', { initial: false }))
  return isKept ? chosen.settings : undefined
}

/** Shows the models that a start would offer, asks for others, and for prices that no source has. */
export async function askModels(
  { say, ask }: Pick<Conversation, 'say' | 'ask'>,
  given: OpenAiSettings,
  { list, book }: { list: ListedModels; book: PriceBook | undefined },
): Promise<{ settings: OpenAiSettings; models: readonly OfferedModel[] } | undefined> {
  for (let settings = given; ; ) {
    const offer = offerModels(settings, list, { book })
    if (!offer.ok && offer.unpriced.length > 0) {
      const prices = parsePrices(await ask(`${offer.problems.join('; ')}. Prices`)) ?? []
      settings = { ...settings, prices: new Map([...settings.prices, ...prices]) }
      continue
    }
    say((offer.ok ? offer.models.map(describeModel) : offer.problems).join('\n'))
    if (offer.ok) say(`Prices are per 1 million tokens in / out. ${describeRate(settings)}`)
    const otherwise = offer.ok ? 'these' : 'another upstream'
    const answer = await ask(`Models (Enter: ${otherwise}; or ids with commas between)`)
    if (answer === '') return offer.ok ? { settings, models: offer.models } : undefined
    settings = { ...settings, models: parseModels(answer) }
  }
}

function describeModel({ usd, config }: OfferedModel): string {
  const { id, prompt_rub_per_1m: prompt, completion_rub_per_1m: completion } = config
  const dollars = `$${formatRub(usd.prompt)} / $${formatRub(usd.completion)}`
  return `${id}: ${dollars}, ₽${prompt} / ₽${completion}`
}

function toChanges({ apiKey, baseUrl, models, prices }: OpenAiSettings): Env {
  const written = [...prices].map(([id, price]) => `${id}=${writePrice(price)}`)
  return {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: baseUrl === OPENAI_BASE_URL ? undefined : baseUrl,
    OPENAI_MODELS: models?.join(','),
    OPENAI_PRICES: written.join(',') || undefined,
  }
}

function writePrice({ prompt, completion }: UsdPrices): string {
  const isFree = prompt === 0n && completion === 0n
  return isFree ? 'free' : `${formatRub(prompt)}/${formatRub(completion)}`
}
