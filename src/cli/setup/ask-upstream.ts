import { formatRub } from '../../contract/money.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { openProxies } from '../../process/process-proxies.ts'
import {
  findOwnerOfKey,
  KNOWN_UPSTREAMS,
  type KnownUpstream,
} from '../../service/config/openai/known-upstreams.ts'
import { listModels } from '../../service/config/openai/list-models.ts'
import { openPriceBook } from '../../service/config/openai/price-book.ts'
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
import { type ModelTrial, tryModel } from '../models/try-model.ts'
import { askModels } from './ask-models.ts'
import { askFor, readOrSay, type SetupStep, type StepDeps } from './conversation.ts'
import type { EnvChanges } from './env-file.ts'

interface Access {
  apiKey: string | undefined
  baseUrl: string | undefined
}

interface KeptAccess extends Access {
  isTried: boolean
}

const WITHOUT_KEY = 'none'
const WITHOUT_MODELS = 'none, demo models answer'

/** Asks for a key and its upstream, tries them with `GET /models` and one answer, and asks which models to offer. */
export const askUpstream: SetupStep = async (deps) => {
  const { say } = deps.conversation
  const names = KNOWN_UPSTREAMS.map(({ name }) => name).join(', ')
  say(`2. The models: a key of ${names}, or of another provider with OpenAI's API
   Ollama, LM Studio, vLLM and llama.cpp on your own machine need no key.`)
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = deps.env
  const counting = ['SERVICE_CONFIG', 'SERVICE_URL'].filter((name) => deps.env[name])
  for (const name of counting) {
    say(`${name} is set and decides which models answer: unset it to use models of a key.`)
  }
  for (let kept: KeptAccess = { apiKey, baseUrl, isTried: false }; ; ) {
    const access = await askAccess(deps, kept)
    if (access === undefined) return toChanges()
    kept = { ...access, isTried: true }
    const changes = await tryAccess(deps, access)
    if (changes !== undefined) return changes
  }
}

async function askAccess(deps: StepDeps, kept: KeptAccess): Promise<Access | undefined> {
  const { conversation } = deps
  for (;;) {
    const apiKey = await askFor(conversation, {
      name: 'Key',
      kept: kept.apiKey,
      without: WITHOUT_KEY,
      isSecret: true,
    })
    // The address is asked next: a key of any form may be right at some address.
    const proposed = proposeBaseUrl(apiKey, kept)
    const isKey =
      apiKey === undefined ||
      readOrSay(conversation, { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: proposed }) !== undefined
    if (isKey) return await askBaseUrl(deps, { apiKey, proposed })
  }
}

async function askBaseUrl(
  { conversation }: StepDeps,
  { apiKey, proposed }: { apiKey: string | undefined; proposed: string | undefined },
): Promise<Access | undefined> {
  const owner = findOwnerOfKey(apiKey ?? '')
  if (owner !== undefined) conversation.say(`It looks like a key of ${owner.name}.`)
  const name =
    apiKey === undefined
      ? 'Address of an API without a key, http://localhost:11434/v1'
      : 'Address of its API, or a name from the list above'
  for (;;) {
    const answer = await askFor(conversation, { name, kept: proposed, without: WITHOUT_MODELS })
    if (answer === undefined) return undefined
    const baseUrl = findNamed(answer)?.baseUrl ?? answer
    const variables = { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl }
    if (readOrSay(conversation, variables) !== undefined) return { apiKey, baseUrl }
  }
}

function findNamed(words: string): KnownUpstream | undefined {
  return KNOWN_UPSTREAMS.find(({ name }) => name.toLowerCase() === words.toLowerCase())
}

function proposeBaseUrl(apiKey: string | undefined, kept: KeptAccess): string | undefined {
  const keptUrl = parseBaseUrl(kept.baseUrl ?? '')
  const isLocalUrl = keptUrl !== undefined && isLocal(keptUrl)
  if (apiKey === undefined) return isLocalUrl ? keptUrl : undefined
  const owner = findOwnerOfKey(apiKey)
  if (owner === undefined) return keptUrl ?? OPENAI_BASE_URL
  // The address of the key's owner has precedence, but a gateway in a private network accepts keys of any form.
  const isMeant = kept.isTried || apiKey === kept.apiKey
  return isLocalUrl && isMeant ? keptUrl : owner.baseUrl
}

async function tryAccess(deps: StepDeps, access: Access): Promise<EnvChanges | undefined> {
  const { conversation } = deps
  const { say, confirm, wait, signal } = conversation
  const way = findWay(deps, access)
  if (way === undefined) return undefined
  const { settings, proxies } = way
  const { baseUrl, apiKey } = settings
  const list = await wait(`Asking ${new URL(baseUrl).host} for its models`, () =>
    listModels({ baseUrl, apiKey, proxies }, signal),
  )
  if (!list.ok) {
    const { kind, sentence } = toTrouble(list, settings)
    say(`${sentence}.`)
    const mayBeRight = kind === 'unreachable' || kind === 'unavailable'
    return mayBeRight && (await confirm('Keep it untried?', { initial: false }))
      ? toChanges(settings)
      : undefined
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
  return trial.answers || (await confirm('Keep it anyway?', { initial: false }))
    ? toChanges(chosen.settings, chosen)
    : undefined
}

function findWay(
  { conversation, env }: StepDeps,
  { apiKey, baseUrl }: Access,
): { settings: OpenAiSettings; proxies: Proxies | undefined } | undefined {
  const { USD_RUB, UPSTREAM_PROXY } = env
  const config = readOrSay(conversation, {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: baseUrl,
    USD_RUB,
    UPSTREAM_PROXY,
  })
  if (config?.openAi === undefined) return undefined
  const { upstream: proxies } = openProxies(config)
  const settings = config.openAi
  const isSame = (parseBaseUrl(env.OPENAI_BASE_URL ?? '') ?? OPENAI_BASE_URL) === settings.baseUrl
  if (!isSame) return { settings, proxies }
  const models = parseModels(env.OPENAI_MODELS ?? '')
  const prices = parsePrices(env.OPENAI_PRICES ?? '') ?? settings.prices
  return { settings: { ...settings, models, prices }, proxies }
}

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
