import { formatRub } from '../../contract/money.ts'
import { describeRate } from '../../process/describe-models.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { findOwnerOfKey, KNOWN_UPSTREAMS } from '../../service/config/openai/known-upstreams.ts'
import { type ListedModels, listModels } from '../../service/config/openai/list-models.ts'
import { type OfferedModel, offerModels } from '../../service/config/openai/offer-models.ts'
import { openPriceBook, type PriceBook } from '../../service/config/openai/price-book.ts'
import { toTrouble } from '../../service/config/openai/read-offer.ts'
import { formatUsd, type UsdPrices } from '../../service/config/openai/usd.ts'
import {
  isLocal,
  OPENAI_BASE_URL,
  type OpenAiSettings,
  parseBaseUrl,
  parseModels,
  parsePrices,
} from '../../service/config/openai/variables.ts'
import { type ModelTrial, tryModel } from '../models.ts'
import { type Field, writeTable } from '../output.ts'
import { askFor, type Conversation, type Env, readOrSay, type SetupStep } from './conversation.ts'
import type { EnvChanges } from './env-file.ts'

const FOUND_MAX = 40

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
): Promise<EnvChanges | undefined> {
  const { say, confirm, wait, signal } = conversation
  const { USD_RUB, UPSTREAM_PROXY } = env
  const given = { OPENAI_API_KEY: access.apiKey, OPENAI_BASE_URL: access.baseUrl }
  const config = readOrSay(conversation, { ...given, USD_RUB, UPSTREAM_PROXY })
  if (config?.openAi === undefined) return undefined
  const { upstream: proxies } = openProxies(config)
  const settings = withModelsOf(env, config.openAi)
  const { baseUrl, apiKey } = settings
  const list = await wait(`Asking ${new URL(baseUrl).host} for its models`, () =>
    listModels({ baseUrl, apiKey, proxies }, signal),
  )
  if (!list.ok) {
    const { kind, sentence } = toTrouble(list, settings)
    say(`${sentence}.`)
    const mayBeRight = kind === 'unreachable' || kind === 'unavailable'
    const isKept = mayBeRight && (await confirm('Keep it untried?', { initial: false }))
    return isKept ? toChanges(settings) : undefined
  }
  const found = { ...settings, baseUrl: list.baseUrl }
  const book = await openPriceBook(list.baseUrl)
  const chosen = await askModels(conversation, found, { ...list, book })
  const [model] = chosen.models
  if (model === undefined) throw new TypeError('No model was chosen')
  const trial = await wait(`Asking ${model.config.id} for one token`, () =>
    tryModel(model, { apiKey, proxies }, signal),
  )
  say(describeTrial(trial))
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

/** Shows the listed models, asks which to offer, and asks for unknown prices. */
export async function askModels(
  { say, ask }: Conversation,
  given: OpenAiSettings,
  { book, ...whole }: Listed,
): Promise<ChosenModels> {
  // OPENAI_MODELS cannot have a name with a comma.
  const list = { ...whole, models: whole.models.filter(({ id }) => !id.includes(',')) }
  const offer = (settings: OpenAiSettings) => offerModels(settings, list, { book })
  const isListed = (id: string) => list.models.some((model) => model.id === id)
  const usualOffer = offer({ ...given, models: undefined })
  const usual = usualOffer.ok
    ? usualOffer.models.map(({ config }) => config.id)
    : usualOffer.unpriced
  const proposed = given.models?.every(isListed) ? given.models : usual
  const chats = list.models.filter(({ isChat }) => isChat).length
  const count = `Models listed: ${list.models.length}; for chats: ${chats}.`
  const priced = `To offer, at prices per 1 million tokens:\n\n${describe(proposed, true)}`
  say(proposed.length === 0 ? count : `${count} ${priced}\n\n${describeRate(given)}`)
  const ids = await askIds()
  for (let settings: OpenAiSettings = { ...given, models: ids }; ; ) {
    const offered = offer(settings)
    if (offered.ok) {
      return { models: offered.models, settings, isUsual: usual.join() === ids.join() }
    }
    const [unpriced] = offered.unpriced
    // All chosen models are listed, so only a price can be missing.
    if (unpriced === undefined) throw new TypeError(offered.problem)
    const prices = new Map([...settings.prices, ...(await askPrice(unpriced))])
    settings = { ...settings, prices }
  }

  async function askIds(): Promise<readonly string[]> {
    const enter = proposed.length === 0 ? '' : 'Enter: all of these; '
    const how = `${enter}numbers or names, separated by commas; ? and a word searches the list`
    for (;;) {
      const answer = await ask(`Which? (${how})`)
      if (answer.startsWith('?')) {
        say(describeFound(answer.slice(1).trim()))
        continue
      }
      const parts = answer.split(',').map((part) => part.trim())
      const named = parts
        .filter((part) => part !== '')
        .map((part) => proposed[Number(part) - 1] ?? part)
      const ids = answer === '' ? proposed : [...new Set(named)]
      const unknown = ids.filter((id) => !isListed(id))
      if (ids.length > 0 && unknown.length === 0) return ids
      if (unknown.length > 0) say(`The upstream does not list ${unknown.join(', ')}.`)
    }
  }

  function describeFound(words: string): string {
    const found = list.models
      .map(({ id }) => id)
      .filter((id) => id.toLowerCase().includes(words.toLowerCase()))
    if (found.length === 0) return `No listed model has ${words} in its name.`
    const table = describe(found.slice(0, FOUND_MAX), false)
    const more = found.length - FOUND_MAX
    return more > 0 ? `${table}\nand ${more} more: add a word` : table
  }

  async function askPrice(id: string): Promise<OpenAiSettings['prices']> {
    for (;;) {
      const answer = await ask(
        `The price of ${id} is unknown. Dollars per 1 million tokens in and out, like 0.25/2, or free`,
      )
      const prices = parsePrices(`${id}=${answer}`)
      if (prices !== undefined) return prices
    }
  }

  function describe(ids: readonly string[], isNumbered: boolean): string {
    const rows = ids.map((id, index) => {
      const offered = offer({ ...given, models: [id] })
      return {
        id,
        number: isNumbered ? index + 1 : null,
        model: offered.ok ? offered.models[0] : undefined,
      }
    })
    return writeTable(FIELDS, rows)
  }
}

interface Row {
  id: string
  number: number | null
  model: OfferedModel | undefined
}

const PRICES: Readonly<Record<string, (model: OfferedModel) => string>> = {
  '$ in': ({ usd }) => formatUsd(usd.prompt),
  '$ out': ({ usd }) => formatUsd(usd.completion),
  '₽ in': ({ config }) => config.prompt_rub_per_1m,
  '₽ out': ({ config }) => config.completion_rub_per_1m,
}

const FIELDS: readonly Field<Row>[] = [
  { head: ' ', read: ({ number }) => number },
  { head: 'model', read: ({ id }) => id },
  ...Object.entries(PRICES).map(([head, priceOf]) => ({
    head,
    isNumber: true,
    read: ({ model }: Row) => (model === undefined ? '?' : priceOf(model)),
  })),
]

function describeTrial(trial: ModelTrial): string {
  if (!trial.answers) return `It does not answer: ${trial.said}.`
  const { usage, isEstimated, costMicroRub } = trial
  const tokens = `${usage.promptTokens} tokens in and ${usage.completionTokens} out`
  const cost = `₽${formatRub(costMicroRub)}`
  return isEstimated
    ? `It answers but does not report its tokens. Estimate: ${tokens}, which cost ≈ ${cost}.`
    : `It answers. ${tokens} cost ${cost}.`
}

function toChanges(settings?: OpenAiSettings, { isUsual } = { isUsual: false }): EnvChanges {
  const { apiKey, baseUrl, models, prices = new Map() } = settings ?? {}
  const written = [...prices].map(([id, price]) => `${id}=${writePrice(price)}`)
  const changes: [string, string | undefined][] = [
    ['OPENAI_API_KEY', apiKey],
    ['OPENAI_BASE_URL', baseUrl === OPENAI_BASE_URL ? undefined : baseUrl],
    ['OPENAI_MODELS', isUsual ? undefined : models?.join(',')],
    ['OPENAI_PRICES', written.length === 0 ? undefined : written.join(',')],
  ]
  // Kopeck does not start with a rate alone.
  return new Map(settings === undefined ? [...changes, ['USD_RUB', undefined]] : changes)
}

function writePrice({ prompt, completion }: UsdPrices): string {
  const isFree = prompt === 0n && completion === 0n
  return isFree ? 'free' : `${formatUsd(prompt)}/${formatUsd(completion)}`
}
