import type { ChatModelConfig, ChatProviderConfig } from '../config/service-config.ts'
import { createDemoChatProvider } from '../providers/demo/chat.ts'
import { createOpenAiChatProvider } from '../providers/openai/chat.ts'
import type { ChatProvider } from '../providers/provider.ts'
import type { TokenPrices } from './price.ts'

/** A model on offer and who answers for it. */
export interface ServedModel extends TokenPrices {
  id: string
  family: string
  contextTokens: number
  defaultMaxTokens: number
  provider: ChatProvider
}

/** By id, in the order of the config. */
export type ServedModels = ReadonlyMap<string, ServedModel>

/** Gives each configured model its provider. */
export function createServedModels(configs: readonly ChatModelConfig[]): ServedModels {
  return new Map(
    configs.map((config) => [
      config.id,
      { ...config, provider: createChatProvider(config.provider) },
    ]),
  )
}

function createChatProvider(config: ChatProviderConfig): ChatProvider {
  switch (config.type) {
    case 'demo':
      return createDemoChatProvider()
    case 'openai':
      return createOpenAiChatProvider(config)
  }
}
