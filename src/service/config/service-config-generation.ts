import type { ImageAspectRatio } from '../../contract/image.ts'
import { MICRO_RUB_PER_RUB } from '../../contract/money.ts'
import { toMicroRub } from './service-config-fields.ts'
import type {
  GenerationJson,
  ImageProviderJson,
  SoundProviderJson,
  VideoProviderJson,
} from './service-config-generation-json.ts'
import { type Env, findKeyProblems } from './service-config-problems.ts'

/** By creation endpoint, its path below the version. One that is missing is not offered. */
export interface GenerationConfig {
  'videos/vidgen-generate'?: EndpointConfig<VideoProviderConfig>
  'images/imagegen-generate'?: EndpointConfig<ImageProviderConfig>
  'sounds/soundgen-generate'?: EndpointConfig<SoundProviderConfig>
}

interface EndpointConfig<Provider> {
  /** By label. One that has none is not on offer. */
  pricesMicroRub: ReadonlyMap<string, bigint>
  /** A task that has not ended so long after its creation fails, and its price goes back. */
  deadlineMs: number
  provider: Provider
}

interface DemoConfig {
  type: 'demo'
}

interface RelayConfig {
  type: 'relay'
  baseUrl: string
  apiKey: string
}

interface RunwayConfig {
  type: 'runway'
  baseUrl: string
  apiKey: string
  model: string
}

interface OpenAiConfig {
  type: 'openai'
  baseUrl: string
  apiKey?: string
  model: string
}

export type VideoProviderConfig = DemoConfig | RelayConfig | RunwayConfig
export type ImageProviderConfig =
  | DemoConfig
  | RelayConfig
  | (OpenAiConfig & { sizes: Partial<Record<ImageAspectRatio, string>> })
export type SoundProviderConfig = DemoConfig | RelayConfig | (OpenAiConfig & { voice: string })

const RUNWAY_URL = 'https://api.dev.runwayml.com'
const VOICE_DEFAULT = 'alloy'
const DEADLINE_MINUTES_DEFAULT = 60
const MINUTE_MS = 60_000

/** What is made when SERVICE_CONFIG is not set: everything, by the demo providers. */
export function builtInGenerationConfig(): GenerationConfig {
  return {
    'videos/vidgen-generate': demo({
      'vidgen-720p-5s': 40n,
      'vidgen-720p-10s': 80n,
      'vidgen-1080p-5s': 70n,
    }),
    'images/imagegen-generate': demo({ imagegen: 5n }),
    'sounds/soundgen-generate': demo({ soundgen: 3n }),
  }
}

function demo(pricesRub: Readonly<Record<string, bigint>>): EndpointConfig<DemoConfig> {
  const prices = Object.entries(pricesRub)
  return {
    pricesMicroRub: new Map(prices.map(([label, rub]) => [label, rub * MICRO_RUB_PER_RUB])),
    deadlineMs: DEADLINE_MINUTES_DEFAULT * MINUTE_MS,
    provider: { type: 'demo' },
  }
}

/** What no schema says about the part `generation`. Looks at whatever is there. */
export function findGenerationProblems(json: unknown, env: Env): string[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([name, endpoint]) => {
    const keyName: unknown = endpoint?.provider?.api_key_env
    return findKeyProblems(keyName, `generation.${name}.provider.api_key_env`, env)
  })
}

/** Makes the config of a part without problems. */
export function toGenerationConfig(json: GenerationJson, env: Env): GenerationConfig {
  const video = json['videos/vidgen-generate']
  const image = json['images/imagegen-generate']
  const sound = json['sounds/soundgen-generate']
  return {
    ...(video && {
      'videos/vidgen-generate': { ...toOffer(video), provider: toVideo(video.provider, env) },
    }),
    ...(image && {
      'images/imagegen-generate': { ...toOffer(image), provider: toImage(image.provider, env) },
    }),
    ...(sound && {
      'sounds/soundgen-generate': { ...toOffer(sound), provider: toSound(sound.provider, env) },
    }),
  }
}

function toOffer({
  prices_rub,
  deadline_minutes = DEADLINE_MINUTES_DEFAULT,
}: {
  prices_rub: Record<string, string>
  deadline_minutes?: number
}) {
  const prices = Object.entries(prices_rub)
  return {
    pricesMicroRub: new Map(prices.map(([label, rub]) => [label, toMicroRub(rub)])),
    deadlineMs: deadline_minutes * MINUTE_MS,
  }
}

function toVideo(json: VideoProviderJson, env: Env): VideoProviderConfig {
  switch (json.type) {
    case 'demo':
      return { type: json.type }
    case 'relay':
      return toRelay(json, env)
    case 'runway': {
      const { type, base_url = RUNWAY_URL, api_key_env, model } = json
      return { type, baseUrl: base_url, apiKey: env[api_key_env] ?? '', model }
    }
  }
}

function toImage(json: ImageProviderJson, env: Env): ImageProviderConfig {
  switch (json.type) {
    case 'demo':
      return { type: json.type }
    case 'relay':
      return toRelay(json, env)
    case 'openai':
      return { ...toOpenAi(json, env), sizes: json.sizes ?? {} }
  }
}

function toSound(json: SoundProviderJson, env: Env): SoundProviderConfig {
  switch (json.type) {
    case 'demo':
      return { type: json.type }
    case 'relay':
      return toRelay(json, env)
    case 'openai':
      return { ...toOpenAi(json, env), voice: json.voice ?? VOICE_DEFAULT }
  }
}

function toRelay(
  { base_url, api_key_env }: Extract<VideoProviderJson, { type: 'relay' }>,
  env: Env,
): RelayConfig {
  return { type: 'relay', baseUrl: base_url, apiKey: env[api_key_env] ?? '' }
}

function toOpenAi(
  { base_url, api_key_env, model }: { base_url: string; api_key_env?: string; model: string },
  env: Env,
): OpenAiConfig {
  const apiKey = api_key_env === undefined ? undefined : env[api_key_env]
  return { type: 'openai', baseUrl: base_url, model, ...(apiKey !== undefined && { apiKey }) }
}
