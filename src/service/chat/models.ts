import type { ChatModelConfig } from '../config/chat-config.ts'
import { type Keys, toMicroRub } from '../config/fields.ts'
import type { ServiceConfig } from '../config/service-config.ts'
import type { TokenPrices } from '../ledger/price-tokens.ts'
import type { ProviderWays } from '../providers/provider-http.ts'
import { createUpstreams, type Upstreams } from './upstreams.ts'

/** A model on offer and the upstreams that answer for it. */
export interface ServedModel extends TokenPrices, Upstreams {
  id: string
  family: string
  contextTokens: number
  usdMicroRub?: bigint | undefined
  /** The tokens of the answer that are held for when a request names no `max_tokens`. */
  defaultMaxTokens: number
  /** The tokens of thoughts that are held for beside the answer's. */
  thinkingTokens: number
}

/** The models by id, in the order of the config. */
export type ServedModels = ReadonlyMap<string, ServedModel>

const DEFAULT_MAX_TOKENS = 4096

/** Gives each configured model its upstreams. */
export function createServedModels(
  { chat, keys }: Pick<ServiceConfig, 'chat' | 'keys'>,
  ways: ProviderWays = {},
): ServedModels {
  return new Map(chat.models.map((model) => [model.id, createServedModel(model, keys, ways)]))
}

function createServedModel(config: ChatModelConfig, keys: Keys, ways: ProviderWays): ServedModel {
  const { id, family, context_tokens, default_max_tokens = DEFAULT_MAX_TOKENS } = config
  const { upstreams, retries } = createUpstreams(config, keys, ways)
  return {
    id,
    family,
    contextTokens: context_tokens,
    promptMicroRubPer1m: toMicroRub(config.prompt_rub_per_1m),
    cachedPromptMicroRubPer1m: toMicroRubOrNone(config.cached_prompt_rub_per_1m),
    completionMicroRubPer1m: toMicroRub(config.completion_rub_per_1m),
    usdMicroRub: toMicroRubOrNone(config.usd_rub),
    defaultMaxTokens: Math.min(default_max_tokens, context_tokens),
    thinkingTokens: config.thinking_tokens ?? 0,
    upstreams,
    retries,
  }
}

function toMicroRubOrNone(rub: string | undefined): bigint | undefined {
  return rub === undefined ? undefined : toMicroRub(rub)
}
