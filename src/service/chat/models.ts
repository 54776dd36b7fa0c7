import type { ChatRequest, FieldProblem } from '../../contract/chat.ts'
import type { OpenAiParameters, PromptMessage } from '../../contract/openai.ts'
import {
  estimateDefinitionTokens,
  estimatePromptTokens,
  leastPromptTokens,
} from '../../contract/token-estimate.ts'
import {
  type ChatModelConfig,
  type ChatUpstreamConfig,
  listUpstreams,
  readValue,
  toUpstreamName,
} from '../config/chat-config.ts'
import { type Keys, toMicroRub } from '../config/fields.ts'
import { SHIPPED_USD_RATE } from '../config/openai/usd.ts'
import { toTokenPrices } from '../config/price-fields.ts'
import { type ServiceConfig, toAccess } from '../config/service-config.ts'
import type { TokenPrices } from '../ledger/price-tokens.ts'
import { createDemoChatProvider } from '../providers/demo/chat.ts'
import { ProviderHealth } from '../providers/health.ts'
import { createOpenAiChatProvider } from '../providers/openai/chat.ts'
import type { ChatProvider } from '../providers/provider.ts'
import type { ProviderWays } from '../providers/provider-http.ts'
import type { Upstream } from './upstreams.ts'

const DEFAULT_MAX_TOKENS = 4096
const COOL_DOWN_SECONDS = 30

export interface ServedModel {
  id: string
  family: string
  contextTokens: number
  prices: TokenPrices
  /** The rate by which the prices were converted from dollars. */
  usdMicroRub?: bigint | undefined
  reportedUsdMicroRub: bigint
  isPricedByReported: boolean
  defaultMaxTokens: number
  thinkingTokens: number
  upstreams: readonly Upstream[]
}

export type ServedModels = ReadonlyMap<string, ServedModel>

export function createServedModels(
  { chat, keys, usdMicroRub = SHIPPED_USD_RATE.microRub }: ModelsConfig,
  ways: ProviderWays = {},
): ServedModels {
  return new Map(chat.models.map((model) => [model.id, createServedModel(model)]))

  function createServedModel(config: ChatModelConfig): ServedModel {
    const { id, family, context_tokens, default_max_tokens = DEFAULT_MAX_TOKENS, usd_rub } = config
    const ownUsdMicroRub = usd_rub === undefined ? undefined : toMicroRub(usd_rub)
    const upstreams = listUpstreams(config).map((upstream) => ({
      name: toUpstreamName(upstream),
      provider: createProvider(upstream, { keys, ways, offeredAs: id }),
      health: new ProviderHealth((config.cool_down_seconds ?? COOL_DOWN_SECONDS) * 1000),
    }))
    return {
      id,
      family,
      contextTokens: context_tokens,
      prices: toTokenPrices(config),
      usdMicroRub: ownUsdMicroRub,
      reportedUsdMicroRub: ownUsdMicroRub ?? usdMicroRub,
      isPricedByReported: config.price_by === 'reported',
      defaultMaxTokens: Math.min(default_max_tokens, context_tokens),
      thinkingTokens: config.thinking_tokens ?? 0,
      upstreams,
    }
  }
}

type ModelsConfig = Pick<ServiceConfig, 'chat' | 'keys' | 'usdMicroRub'>

function createProvider(
  config: ChatUpstreamConfig,
  { keys, ways, offeredAs }: { keys: Keys; ways: ProviderWays; offeredAs: string },
): ChatProvider {
  if (config.type === 'demo') return createDemoChatProvider()
  const { headers = {}, timeouts = {}, output_limit, ...others } = config
  const { model, omit, body } = others
  const values = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), readValue(value, keys)] as const,
  )
  return createOpenAiChatProvider({
    ...toAccess(config, keys),
    model,
    offeredAs,
    outputLimit: output_limit,
    omit,
    body,
    headers: Object.fromEntries(values),
    timeouts: {
      connectMs: toMs(timeouts.connect_seconds),
      firstByteMs: toMs(timeouts.first_event_seconds),
      silenceMs: toMs(timeouts.silence_seconds),
    },
    proxies: ways.proxies,
    secrets: [...keys.values()],
  })
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** The problem of a request for a model that is not served, to any client or to its API key. */
export const UNKNOWN_MODEL: FieldProblem = {
  loc: ['body', 'model'],
  msg: 'is not one of GET /chats/models',
}

/** Up to this the estimate may be wrong, and the provider judges. */
const SURELY_TOO_LONG = 1.25

interface AskedRequest extends Pick<ChatRequest, 'model' | 'max_tokens'> {
  messages: readonly PromptMessage[]
  parameters?: OpenAiParameters
}

/** Checks what the schema of a chat request cannot: that the model is served, and that prompt and answer fit it. */
export function checkChatRequest(
  { model: modelId, max_tokens, messages, parameters = {} }: AskedRequest,
  models: ServedModels,
):
  | { model: ServedModel; maxTokens: number; promptTokens: number; problems?: never }
  | { problems: FieldProblem[] } {
  const model = models.get(modelId)
  if (model === undefined) return { problems: [UNKNOWN_MODEL] }
  const { contextTokens, defaultMaxTokens } = model
  const maxTokens = max_tokens ?? defaultMaxTokens
  if (maxTokens > contextTokens) {
    const msg = `must be at most ${contextTokens}, the context of the model`
    return { problems: [{ loc: ['body', 'max_tokens'], msg }] }
  }
  const tokensMax = contextTokens * SURELY_TOO_LONG
  // A count of 32 million characters would keep others waiting.
  const leastTokens = leastPromptTokens(messages)
  const isSure = leastTokens > tokensMax
  const counted = () => estimatePromptTokens(messages) + estimateDefinitionTokens(parameters)
  const promptTokens = isSure ? leastTokens : counted()
  if (promptTokens <= tokensMax) return { model, maxTokens, promptTokens }
  const about = `about ${promptTokens}${isSure ? ' or more' : ''}`
  const msg = `must fit the context of the model, ${contextTokens} tokens; they take ${about}`
  return { problems: [{ loc: ['body', 'messages'], msg }] }
}
