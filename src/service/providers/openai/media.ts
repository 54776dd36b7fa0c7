/** Images and sounds by OpenAI's API: each within one request, so that a request that was cut off fails its task. */
import { type Static, Type } from 'typebox'
import {
  IMAGE_DEFAULTS,
  type ImageAspectRatio,
  type ImageRequest,
  type SoundRequest,
} from '../../../contract/tasks.ts'
import { createGuard } from '../../../platform/guard.ts'
import type { Answer } from '../../../platform/http/http-client.ts'
import { recogniseMedia } from '../../../platform/http/media-type.ts'
import { createPaidProvider } from '../paid-work.ts'
import type { GenerationProvider, GenerationResult } from '../provider.ts'
import { type ProviderAccess, readJson } from '../provider-http.ts'

/** The answer comes when the work is done. Shorter than a visit waits for one `check()`. */
const ANSWER_MS_MAX = 170_000

/** The sizes of today's models; none of them is exactly 16:9. */
const SIZES_DEFAULT: Readonly<Record<ImageAspectRatio, string>> = {
  '1:1': '1024x1024',
  '16:9': '1536x1024',
  '9:16': '1024x1536',
}
const VOICE_DEFAULT = 'alloy'

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Images = Type.Object({
  data: Type.Array(Type.Object({ b64_json: OptionalText, url: OptionalText }), { minItems: 1 }),
})
const isImages = createGuard(Images)
type OpenAiImage = Static<typeof Images>['data'][number]

/** The root of the API includes `/v1`. The model may answer with the picture itself or with a link. */
export function createOpenAiImageProvider(
  access: ProviderAccess,
  model: string,
  sizes: Partial<Record<ImageAspectRatio, string>> = {},
): GenerationProvider<ImageRequest> {
  return createPaidProvider({
    access,
    toBody({ prompt, aspect_ratio = IMAGE_DEFAULTS.aspect_ratio }: ImageRequest) {
      return { model, prompt, n: 1, size: sizes[aspect_ratio] ?? SIZES_DEFAULT[aspect_ratio] }
    },
    creation: () => ({ path: 'images/generations', headersMs: ANSWER_MS_MAX }),
    accept(answer) {
      const images = readJson(answer)
      const image: OpenAiImage | undefined = isImages(images) ? images.data[0] : undefined
      // A link can be copied again later; bytes are here only now.
      if (typeof image?.url === 'string') return image.url
      return decodeImage(image?.b64_json ?? '')
    },
  })
}

/** Speaks the prompt as MP3. Speech is as long as its text: the request's `duration` has no say. */
export function createOpenAiSoundProvider(
  access: ProviderAccess,
  model: string,
  voice = VOICE_DEFAULT,
): GenerationProvider<SoundRequest> {
  return createPaidProvider({
    access,
    toBody: ({ prompt }: SoundRequest) => ({ model, input: prompt, voice, response_format: 'mp3' }),
    creation: () => ({ path: 'audio/speech', headersMs: ANSWER_MS_MAX }),
    accept: readSound,
  })
}

/** The answer does not always say what the picture is: its bytes do. */
function decodeImage(base64: string): GenerationResult[] {
  const bytes = Buffer.from(base64, 'base64')
  const type = recogniseMedia(bytes)
  return type?.media === 'image' ? [{ type: 'bytes', bytes, contentType: type.contentType }] : []
}

function readSound({ headers, body }: Answer): GenerationResult[] {
  const type = String(headers['content-type'] ?? '')
  const isSound = body.length > 0 && !/json|text|html/i.test(type)
  return isSound ? [{ type: 'bytes', bytes: body, contentType: 'audio/mpeg' }] : []
}
