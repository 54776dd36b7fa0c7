import { type Static, Type } from 'typebox'
import {
  IMAGE_DEFAULTS,
  type ImageAspectRatio,
  type ImageRequest,
} from '../../../contract/tasks.ts'
import { createGuard } from '../../../platform/guard.ts'
import type { Answer } from '../../../platform/http/exchange.ts'
import { recogniseMedia } from '../../../platform/http/media-type.ts'
import type { GenerationProvider, GenerationResult } from '../provider.ts'
import { type ProviderAccess, readJson } from '../provider-http.ts'
import { createOpenAiOperation } from './operation.ts'

/** The sizes of today's models; none of them is exactly 16:9. */
const SIZES_DEFAULT: Readonly<Record<ImageAspectRatio, string>> = {
  '1:1': '1024x1024',
  '16:9': '1536x1024',
  '9:16': '1024x1536',
}

const Images = Type.Object({
  data: Type.Array(
    Type.Object({
      b64_json: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
})
const isImages = createGuard(Images)
type OpenAiImage = Static<typeof Images>['data'][number]

/** The root of the API includes `/v1`; `/images/generations` is added. */
export interface OpenAiImageOptions extends ProviderAccess {
  model: string
  sizes?: Partial<Record<ImageAspectRatio, string>> | undefined
}

/**
 * Makes images by any service with OpenAI's `POST /images/generations`, one for each task. The model may
 * answer with the picture itself or with a link.
 */
export function createOpenAiImageProvider({
  baseUrl,
  apiKey,
  proxies,
  model,
  sizes = {},
}: OpenAiImageOptions): GenerationProvider<ImageRequest> {
  return createOpenAiOperation<ImageRequest>({
    baseUrl,
    apiKey,
    proxies,
    path: 'images/generations',
    toBody({ prompt, aspect_ratio = IMAGE_DEFAULTS.aspect_ratio }) {
      return { model, prompt, n: 1, size: sizes[aspect_ratio] ?? SIZES_DEFAULT[aspect_ratio] }
    },
    readResult,
  })
}

function readResult(answer: Answer): GenerationResult | undefined {
  const images = readJson(answer)
  const image: OpenAiImage | undefined = isImages(images) ? images.data[0] : undefined
  if (typeof image?.url === 'string') return { type: 'url', url: image.url }
  if (typeof image?.b64_json !== 'string') return undefined
  const bytes = Buffer.from(image.b64_json, 'base64')
  // The answer does not always say what the picture is.
  const type = recogniseMedia(bytes)
  return type?.media === 'image'
    ? { type: 'bytes', bytes, contentType: type.contentType }
    : undefined
}
