import type { ImageRequest } from '../../contract/image.ts'
import type { SoundRequest } from '../../contract/sound.ts'
import type { VideoRequest } from '../../contract/video.ts'
import type {
  GenerationConfig,
  ImageProviderConfig,
  SoundProviderConfig,
  VideoProviderConfig,
} from '../config/service-config-generation.ts'
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

/** The creation endpoints that the config offers, each with its provider. */
export function createEndpoints(config: GenerationConfig): Endpoint[] {
  const endpoints: Endpoint[] = []
  const video = config['videos/vidgen-generate']
  if (video !== undefined) {
    endpoints.push(createVidgenEndpoint({ ...video, provider: toVideoProvider(video.provider) }))
  }
  const image = config['images/imagegen-generate']
  if (image !== undefined) {
    endpoints.push(createImagegenEndpoint({ ...image, provider: toImageProvider(image.provider) }))
  }
  const sound = config['sounds/soundgen-generate']
  if (sound !== undefined) {
    endpoints.push(createSoundgenEndpoint({ ...sound, provider: toSoundProvider(sound.provider) }))
  }
  return endpoints
}

function toVideoProvider(config: VideoProviderConfig): GenerationProvider<VideoRequest> {
  switch (config.type) {
    case 'demo':
      return createDemoVideoProvider()
    case 'relay':
      return createRelayProvider({ ...config, path: 'videos/vidgen-generate' })
    case 'runway':
      return createRunwayProvider(config)
  }
}

function toImageProvider(config: ImageProviderConfig): GenerationProvider<ImageRequest> {
  switch (config.type) {
    case 'demo':
      return createDemoImageProvider()
    case 'relay':
      return createRelayProvider({ ...config, path: 'images/imagegen-generate' })
    case 'openai':
      return createOpenAiImageProvider(config)
  }
}

function toSoundProvider(config: SoundProviderConfig): GenerationProvider<SoundRequest> {
  switch (config.type) {
    case 'demo':
      return createDemoSoundProvider()
    case 'relay':
      return createRelayProvider({ ...config, path: 'sounds/soundgen-generate' })
    case 'openai':
      return createOpenAiSoundProvider(config)
  }
}
