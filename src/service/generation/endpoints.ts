import type { ImageRequest } from '../../contract/image.ts'
import type { SoundRequest } from '../../contract/sound.ts'
import type { VideoRequest } from '../../contract/video.ts'
import {
  type ImageProviderConfig,
  type SoundProviderConfig,
  toPricesMicroRub,
  type VideoProviderConfig,
} from '../config/generation-config.ts'
import {
  toOpenAiOptions,
  toOpenAiSpeechOptions,
  toRelayOptions,
  toRunwayOptions,
} from '../config/provider-options.ts'
import type { Keys, ServiceConfig } from '../config/service-config.ts'
import { createDemoImageProvider } from '../providers/demo/image.ts'
import { createDemoSoundProvider } from '../providers/demo/sound.ts'
import { createDemoVideoProvider } from '../providers/demo/video.ts'
import { createOpenAiImageProvider } from '../providers/openai/image.ts'
import { createOpenAiSoundProvider } from '../providers/openai/sound.ts'
import type { GenerationProvider } from '../providers/provider.ts'
import { createRelayProvider } from '../providers/relay.ts'
import { createRunwayProvider } from '../providers/runway.ts'
import type { Endpoint } from './endpoint.ts'
import { createImagegenEndpoint } from './imagegen-generate.ts'
import { createSoundgenEndpoint } from './soundgen-generate.ts'
import { createVidgenEndpoint } from './vidgen-generate.ts'

const DEADLINE_MINUTES_DEFAULT = 60
const MINUTE_MS = 60_000

/** The creation endpoints that the config offers, each with its provider. */
export function createEndpoints({
  generation,
  keys,
}: Pick<ServiceConfig, 'generation' | 'keys'>): Endpoint[] {
  const endpoints: Endpoint[] = []
  const video = generation['videos/vidgen-generate']
  if (video !== undefined) {
    const provider = createVideoProvider(video.provider, keys)
    endpoints.push(createVidgenEndpoint({ ...toTerms(video), provider }))
  }
  const image = generation['images/imagegen-generate']
  if (image !== undefined) {
    const provider = createImageProvider(image.provider, keys)
    endpoints.push(createImagegenEndpoint({ ...toTerms(image), provider }))
  }
  const sound = generation['sounds/soundgen-generate']
  if (sound !== undefined) {
    const provider = createSoundProvider(sound.provider, keys)
    endpoints.push(createSoundgenEndpoint({ ...toTerms(sound), provider }))
  }
  return endpoints
}

function toTerms({
  prices_rub,
  deadline_minutes = DEADLINE_MINUTES_DEFAULT,
}: {
  prices_rub: Readonly<Record<string, string>>
  deadline_minutes?: number
}) {
  return {
    pricesMicroRub: toPricesMicroRub(prices_rub),
    deadlineMs: deadline_minutes * MINUTE_MS,
  }
}

function createVideoProvider(
  config: VideoProviderConfig,
  keys: Keys,
): GenerationProvider<VideoRequest> {
  switch (config.type) {
    case 'demo':
      return createDemoVideoProvider()
    case 'relay':
      return createRelayProvider({
        ...toRelayOptions(config, keys),
        path: 'videos/vidgen-generate',
      })
    case 'runway':
      return createRunwayProvider(toRunwayOptions(config, keys))
  }
}

function createImageProvider(
  config: ImageProviderConfig,
  keys: Keys,
): GenerationProvider<ImageRequest> {
  switch (config.type) {
    case 'demo':
      return createDemoImageProvider()
    case 'relay':
      return createRelayProvider({
        ...toRelayOptions(config, keys),
        path: 'images/imagegen-generate',
      })
    case 'openai':
      return createOpenAiImageProvider({
        ...toOpenAiOptions(config, keys),
        sizes: config.sizes ?? {},
      })
  }
}

function createSoundProvider(
  config: SoundProviderConfig,
  keys: Keys,
): GenerationProvider<SoundRequest> {
  switch (config.type) {
    case 'demo':
      return createDemoSoundProvider()
    case 'relay':
      return createRelayProvider({
        ...toRelayOptions(config, keys),
        path: 'sounds/soundgen-generate',
      })
    case 'openai':
      return createOpenAiSoundProvider(toOpenAiSpeechOptions(config, keys))
  }
}
