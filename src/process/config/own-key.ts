import {
  findKnownUpstream,
  findOwnerOfKey,
  isLocal,
  OPENAI_BASE_URL,
  type OpenAiSettings,
  parseBaseUrl,
  parseModels,
  parsePrices,
  parseUsdRate,
} from '../../service/config/openai/settings.ts'
import { SHIPPED_USD_RATE } from '../../service/config/openai/usd.ts'
import { type Environment, isSet, reader, shouldBe } from './variables.ts'

const openAiKey = shouldBe('the key alone, in one line and without quotes', (key) =>
  /^[!-~]+$/.test(key) && !/^["'`]|["'`]$/.test(key) ? key : undefined,
)
const openAiBaseUrl = shouldBe(
  'the http or https URL of an API like OpenAI’s, https://openrouter.ai/api/v1, without a query or a password',
  parseBaseUrl,
)
const openAiModels = shouldBe(
  'ids of models with commas between, each once: gpt-5-mini,gpt-4.1',
  parseModels,
)
const openAiPrices = shouldBe(
  'prices in dollars per 1 million tokens of input and output, as decimals: gpt-5-mini=0.25/2,llama3=free',
  parsePrices,
)
export const usdRate = shouldBe('the roubles that a dollar costs, above 0: 81.9', parseUsdRate)

/** The variables of the operator's own key. */
export const OPENAI_VARIABLES = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_MODELS',
  'OPENAI_PRICES',
  'USD_RUB',
] as const

/** Reads the upstream of the operator's own key. Returns undefined if neither a key nor an address is set. */
export function readOwnKey(env: Environment, problems: string[]): OpenAiSettings | undefined {
  const read = reader(env, problems)
  if (!isSet(env, 'OPENAI_API_KEY') && !isSet(env, 'OPENAI_BASE_URL')) {
    const others = OPENAI_VARIABLES.filter((name) => isSet(env, name))
    problems.push(...others.map((name) => `${name}: needs OPENAI_API_KEY or OPENAI_BASE_URL`))
    return undefined
  }
  const settings = {
    baseUrl: read('OPENAI_BASE_URL', openAiBaseUrl) ?? OPENAI_BASE_URL,
    apiKey: read('OPENAI_API_KEY', openAiKey),
    models: read('OPENAI_MODELS', openAiModels),
    prices: read('OPENAI_PRICES', openAiPrices) ?? new Map(),
    usdRate: read('USD_RUB', usdRate) ?? SHIPPED_USD_RATE,
  }
  const { apiKey = '', baseUrl } = settings
  const owner = findOwnerOfKey(apiKey)
  if (isLocal(baseUrl)) return settings
  if (!isSet(env, 'OPENAI_API_KEY')) {
    problems.push(`OPENAI_API_KEY: should be set for ${new URL(baseUrl).host}`)
  } else if (owner !== undefined && findKnownUpstream(baseUrl) !== owner) {
    const isOpenAi = owner.baseUrl === OPENAI_BASE_URL
    const fix = isOpenAi ? 'leave OPENAI_BASE_URL out' : `set OPENAI_BASE_URL=${owner.baseUrl}`
    problems.push(`OPENAI_API_KEY: is a key of ${owner.name}, ${fix}`)
  }
  return settings
}

/** Describes variables of a key that are set in vain, and a key that goes over http to a public host. */
export function* noteOwnKey(
  env: Environment,
  roles: ReadonlySet<string>,
  openAi: OpenAiSettings | undefined,
): Generator<string> {
  // The file may name the key's variable itself, and costs that providers report are converted at the rate.
  const unused = OPENAI_VARIABLES.slice(1, -1).filter((name) => isSet(env, name))
  if (roles.has('service') && isSet(env, 'SERVICE_CONFIG') && unused.length > 0) {
    const are = unused.length === 1 ? 'is' : 'are'
    yield `SERVICE_CONFIG says what is sold: ${unused.join(', ')} ${are} not used`
  }
  if (!roles.has('service') && isSet(env, 'OPENAI_API_KEY')) {
    yield 'SERVICE_URL says what answers: OPENAI_API_KEY is not used'
  }
  if (openAi?.baseUrl.startsWith('http:') && !isLocal(openAi.baseUrl)) {
    const { host } = new URL(openAi.baseUrl)
    yield `OPENAI_BASE_URL: http sends the key and all texts to ${host} for everybody to read`
  }
}
