import {
  CREATION_PATHS,
  clipLabel,
  findVideoProblems,
  IMAGE_LABEL,
  ImageRequest,
  SOUND_LABEL,
  SoundRequest,
  VideoRequest,
} from '../../contract/tasks.ts'
import type { UrlGuard } from '../../platform/http/find-target.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import {
  type GenerationConfig,
  type ImageProviderConfig,
  type SoundProviderConfig,
  toPricesMicroRub,
  type VideoProviderConfig,
} from '../config/generation-config.ts'
import { type ServiceConfig, toAccess } from '../config/service-config.ts'
import {
  createDemoImageProvider,
  createDemoSoundProvider,
  createDemoVideoProvider,
} from '../providers/demo/media.ts'
import { createOpenAiImageProvider, createOpenAiSoundProvider } from '../providers/openai/media.ts'
import type { GenerationProvider } from '../providers/provider.ts'
import type { ProviderAccess } from '../providers/provider-http.ts'
import { createRelayProvider } from '../providers/relay.ts'
import { createRunwayProvider, RUNWAY_URL } from '../providers/runway.ts'
import { createEndpoint, type Endpoint, type Kind, type Offer } from './endpoint.ts'

const DEADLINE_MINUTES_DEFAULT = 60
const MINUTE_MS = 60_000
const CREATION_SECONDS_DEFAULT = 120
const PUBLIC_ONLY: UrlGuard = { allow: new Set() }

/** A clip from text, or from a picture and text. */
export const VIDGEN = {
  path: CREATION_PATHS.video,
  schema: VideoRequest,
  findProblems: findVideoProblems,
  label: clipLabel,
  media: 'video',
  // The interface leaves polling as the only way to a clip.
  deliversCallbacks: false,
} as const satisfies Kind<VideoRequest>

/** A picture from text. */
export const IMAGEGEN = {
  path: CREATION_PATHS.image,
  schema: ImageRequest,
  label: () => IMAGE_LABEL,
  media: 'image',
} as const satisfies Kind<ImageRequest>

const SOUNDGEN = {
  path: CREATION_PATHS.sound,
  schema: SoundRequest,
  label: () => SOUND_LABEL,
  media: 'sound',
} as const satisfies Kind<SoundRequest>

/** Every kind that a config can offer. */
export const KINDS = [VIDGEN, IMAGEGEN, SOUNDGEN] as const

/**
 * Makes the creation endpoints that the config offers, each with its provider.
 *
 * @param pictureGuard The hosts from which a provider in this process may fetch a customer's reference picture; public
 *   hosts by default.
 * @param proxies Lead to the providers; without them the way is direct.
 */
export function createEndpoints(
  { generation, keys }: Pick<ServiceConfig, 'generation' | 'keys'>,
  {
    pictureGuard = PUBLIC_ONLY,
    proxies,
  }: { pictureGuard?: UrlGuard | undefined; proxies?: Proxies | undefined } = {},
): Endpoint[] {
  const video = generation[VIDGEN.path]
  const image = generation[IMAGEGEN.path]
  const sound = generation[SOUNDGEN.path]
  const reach: Reach = (config) => ({ ...toAccess(config, keys), proxies })
  return [
    video &&
      createEndpoint(
        VIDGEN,
        toOffer(video, createVideoProvider(video.provider, reach, pictureGuard)),
      ),
    image && createEndpoint(IMAGEGEN, toOffer(image, createImageProvider(image.provider, reach))),
    sound && createEndpoint(SOUNDGEN, toOffer(sound, createSoundProvider(sound.provider, reach))),
  ].filter((endpoint) => endpoint !== undefined)
}

type Reach = (config: Parameters<typeof toAccess>[0]) => ProviderAccess

function toOffer<Params extends object>(
  {
    prices_rub,
    deadline_minutes = DEADLINE_MINUTES_DEFAULT,
    creation_seconds = CREATION_SECONDS_DEFAULT,
    provider: config,
  }: NonNullable<GenerationConfig[keyof GenerationConfig]>,
  provider: GenerationProvider<Params>,
): Offer<Params> {
  const providerUrl = 'base_url' in config ? config.base_url : undefined
  return {
    pricesMicroRub: toPricesMicroRub(prices_rub),
    deadlineMs: deadline_minutes * MINUTE_MS,
    creationMs: creation_seconds * 1000,
    provider,
    providerUrl,
    upstream: providerUrl === undefined ? config.type : new URL(providerUrl).host,
  }
}

function createVideoProvider(
  config: VideoProviderConfig,
  reach: Reach,
  pictureGuard: UrlGuard,
): GenerationProvider<VideoRequest> {
  if (config.type === 'demo') return createDemoVideoProvider(pictureGuard)
  if (config.type === 'relay') return createRelayProvider(reach(config), VIDGEN.path)
  return createRunwayProvider(reach({ base_url: RUNWAY_URL, ...config }), config.model)
}

function createImageProvider(
  config: ImageProviderConfig,
  reach: Reach,
): GenerationProvider<ImageRequest> {
  if (config.type === 'demo') return createDemoImageProvider()
  if (config.type === 'relay') return createRelayProvider(reach(config), IMAGEGEN.path)
  return createOpenAiImageProvider(reach(config), config.model, config.sizes)
}

function createSoundProvider(
  config: SoundProviderConfig,
  reach: Reach,
): GenerationProvider<SoundRequest> {
  if (config.type === 'demo') return createDemoSoundProvider()
  if (config.type === 'relay') return createRelayProvider(reach(config), SOUNDGEN.path)
  return createOpenAiSoundProvider(reach(config), config.model, config.voice)
}
