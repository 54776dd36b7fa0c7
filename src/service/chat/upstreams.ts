import type { Feature } from '../../contract/openai.ts'
import { createProxies, type Proxies, parseProxies } from '../../platform/http/proxies.ts'
import {
  type ChatModelConfig,
  type ChatUpstreamConfig,
  DIRECT,
  listUpstreams,
  readValue,
  toUpstreamName,
} from '../config/chat-config.ts'
import type { Keys } from '../config/fields.ts'
import { toTokenPrices } from '../config/price-fields.ts'
import { toAccess } from '../config/service-config.ts'
import type { TokenPrices } from '../ledger/price-tokens.ts'
import { type CoolDown, createCoolDown } from '../providers/cool-down.ts'
import { createDemoChatProvider } from '../providers/demo/chat.ts'
import { createOpenAiChatProvider, type OpenAiChatOptions } from '../providers/openai/chat.ts'
import type { ChatProvider } from '../providers/provider.ts'
import type { ProviderWays } from '../providers/provider-http.ts'
import { createStanding, type Standing } from '../providers/standing.ts'

const COOL_DOWN_SECONDS = 30

/** One of those that may answer for a model. */
export interface Upstream {
  /** Its name in the log and in metrics; no other upstream of the model has it. */
  name: string
  /** Its share of the requests that ask it first, beside the others' weights; undefined: all go by their order. */
  weight: number | undefined
  cost?: TokenPrices | undefined
  provider: ChatProvider
  coolDown: CoolDown
  standing: Standing
}

/** Checks whether an upstream can do all that a request needs, as far as is known. */
export function isAble(
  { provider }: Pick<Upstream, 'provider'>,
  features: readonly Feature[],
): boolean {
  return features.every((feature) => provider.supports(feature))
}

/** The upstreams of a model, and how often one request is tried. */
export interface Upstreams {
  upstreams: readonly Upstream[]
  /** Tries after the first. */
  retries: number
}

/** Gives a model its upstreams. */
export function createUpstreams(
  config: ChatModelConfig,
  keys: Keys,
  ways: ProviderWays = {},
): Upstreams {
  const coolDownMs = (config.cool_down_seconds ?? COOL_DOWN_SECONDS) * 1000
  const upstreams = listUpstreams(config).map((upstream) => ({
    name: toUpstreamName(upstream),
    weight: upstream.weight,
    cost: upstream.cost && toTokenPrices(upstream.cost),
    provider: createProvider(upstream, { keys, ways, offeredAs: config.id }),
    coolDown: createCoolDown({ coolDownMs }),
    standing: createStanding(),
  }))
  return { upstreams, retries: config.retries ?? upstreams.length - 1 }
}

interface ModelParts {
  keys: Keys
  ways: ProviderWays
  offeredAs: string
}

/** Exhaustive: a kind that is configured and not built here does not compile. */
function createProvider(config: ChatUpstreamConfig, parts: ModelParts): ChatProvider {
  switch (config.type) {
    case 'demo':
      return createDemoChatProvider()
    case 'openai':
      return createOpenAiProvider(config, parts)
  }
}

function createOpenAiProvider(
  config: Extract<ChatUpstreamConfig, { type: 'openai' }>,
  { keys, ways, offeredAs }: ModelParts,
): ChatProvider {
  const {
    model,
    output_limit,
    omit,
    only_streams,
    supports,
    headers = {},
    body,
    timeouts = {},
    proxy,
  } = config
  const values = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), readValue(value, keys)] as const,
  )
  const { baseUrl, apiKey } = toAccess(config, keys)
  return createOpenAiChatProvider({
    baseUrl,
    apiKey,
    model,
    offeredAs,
    outputLimit: output_limit,
    omit,
    onlyStreams: only_streams,
    supports,
    body,
    headers: Object.fromEntries(values),
    timeouts: toTimeouts(timeouts),
    proxies: proxy === undefined ? ways.proxies : openProxies(readValue(proxy, keys), ways),
    secrets: [...keys.values()],
  })
}

function openProxies(list: string, { log }: ProviderWays): Proxies | undefined {
  if (list === DIRECT) return undefined
  const parsed = parseProxies(list)
  if ('problems' in parsed) throw new TypeError('parseServiceConfig() lets no such proxy through')
  return createProxies({ addresses: parsed.value, log, leadToThisMachine: true })
}

function toTimeouts({
  connect_seconds,
  first_event_seconds,
  silence_seconds,
}: NonNullable<ChatUpstreamConfig['timeouts']>): NonNullable<OpenAiChatOptions['timeouts']> {
  return {
    ...(connect_seconds !== undefined && { connectMs: connect_seconds * 1000 }),
    ...(first_event_seconds !== undefined && { firstByteMs: first_event_seconds * 1000 }),
    ...(silence_seconds !== undefined && { silenceMs: silence_seconds * 1000 }),
  }
}
