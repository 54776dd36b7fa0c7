import type { ChatModelConfig } from '../config/chat-config.ts'
import { type Keys, toMicroRub } from '../config/fields.ts'
import { SHIPPED_USD_RATE } from '../config/openai/usd.ts'
import { toTokenPrices } from '../config/price-fields.ts'
import type { ServiceConfig } from '../config/service-config.ts'
import type { TokenPrices } from '../ledger/price-tokens.ts'
import type { ProviderWays } from '../providers/provider-http.ts'
import { createUpstreams, type Upstreams } from './upstreams.ts'

/** A model on offer and the upstreams that answer for it. */
export interface ServedModel extends Upstreams {
  id: string
  family: string
  contextTokens: number
  /** In roubles. */
  prices: TokenPrices
  /** The rate by which the prices were converted from dollars. */
  usdMicroRub?: bigint | undefined
  /** The rate of costs that a provider reports. */
  reportedUsdMicroRub: bigint
  isPricedByReported: boolean
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
  { chat, keys, usdMicroRub }: Pick<ServiceConfig, 'chat' | 'keys' | 'usdMicroRub'>,
  ways: ProviderWays = {},
): ServedModels {
  const defaultUsdMicroRub = usdMicroRub ?? SHIPPED_USD_RATE.microRub
  return new Map(
    chat.models.map((model) => [
      model.id,
      createServedModel(model, { keys, defaultUsdMicroRub, ways }),
    ]),
  )
}

function createServedModel(
  config: ChatModelConfig,
  {
    keys,
    defaultUsdMicroRub,
    ways,
  }: { keys: Keys; defaultUsdMicroRub: bigint; ways: ProviderWays },
): ServedModel {
  const usdMicroRub = config.usd_rub === undefined ? undefined : toMicroRub(config.usd_rub)
  const { id, family, context_tokens, default_max_tokens = DEFAULT_MAX_TOKENS } = config
  const { upstreams, retries } = createUpstreams(config, keys, ways)
  return {
    id,
    family,
    contextTokens: context_tokens,
    prices: toTokenPrices(config),
    usdMicroRub,
    reportedUsdMicroRub: usdMicroRub ?? defaultUsdMicroRub,
    isPricedByReported: config.price_by === 'reported',
    defaultMaxTokens: Math.min(default_max_tokens, context_tokens),
    thinkingTokens: config.thinking_tokens ?? 0,
    upstreams,
    retries,
  }
}
