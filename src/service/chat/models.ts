import { toMicroRub } from '../config/fields.ts'
import {
  type ChatModelConfig,
  type Keys,
  type ServiceConfig,
  toAccess,
} from '../config/service-config.ts'
import { createDemoChatProvider } from '../providers/demo/chat.ts'
import { createOpenAiChatProvider } from '../providers/openai/chat.ts'
import type { ChatProvider } from '../providers/provider.ts'
import type { TokenPrices } from './price.ts'

/** A model on offer and the provider that answers for it. */
export interface ServedModel extends TokenPrices {
  id: string
  family: string
  contextTokens: number
  /** Held for when a request names no `max_tokens`. */
  defaultMaxTokens: number
  provider: ChatProvider
}

/** By id, in the order of the config. */
export type ServedModels = ReadonlyMap<string, ServedModel>

const DEFAULT_MAX_TOKENS = 4096

/** Gives each configured model its provider. */
export function createServedModels({
  chat,
  keys,
}: Pick<ServiceConfig, 'chat' | 'keys'>): ServedModels {
  return new Map(chat.models.map((model) => [model.id, createServedModel(model, keys)]))
}

function createServedModel(config: ChatModelConfig, keys: Keys): ServedModel {
  const { id, family, context_tokens, default_max_tokens = DEFAULT_MAX_TOKENS, provider } = config
  return {
    id,
    family,
    contextTokens: context_tokens,
    promptMicroRubPer1m: toMicroRub(config.prompt_rub_per_1m),
    completionMicroRubPer1m: toMicroRub(config.completion_rub_per_1m),
    defaultMaxTokens: Math.min(default_max_tokens, context_tokens),
    provider:
      provider.type === 'demo'
        ? createDemoChatProvider()
        : createOpenAiChatProvider({ ...toAccess(provider, keys), model: provider.model }),
  }
}
