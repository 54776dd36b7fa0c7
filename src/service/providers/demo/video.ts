import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import {
  VIDEO_DEFAULTS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../contract/tasks.ts'
import { readBody } from '../../../platform/http/exchange.ts'
import { FileRefusedError, fetchFile } from '../../../platform/http/fetch-file.ts'
import type { UrlGuard } from '../../../platform/http/find-target.ts'
import { type ImageSize, readImageSize } from '../../../platform/http/image-size.ts'
import { type GenerationProvider, ProviderError } from '../provider.ts'
import { createDemoProvider } from './demo-provider.ts'

const PICTURE_BYTES_MAX = 20 * 1024 * 1024
const PICTURE_MS_MAX = 30_000
const PICTURE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg'])

const DemoClip = Type.Object({
  duration: Type.Enum(VIDEO_DURATIONS),
  quality: Type.Enum(VIDEO_QUALITIES),
  upright: Type.Optional(Type.Boolean()),
  imageUrl: Type.Optional(Type.String()),
})
type DemoClip = Static<typeof DemoClip>

const NOT_USABLE = {
  status: 'fail',
  code: 502,
  message: 'The demo cannot use the reference image: it takes PNG and JPEG from public addresses.',
} as const

/**
 * Answers each request with the ready clip of its length, quality and shape, which says that it is a demo:
 * a real MP4 file. A reference picture, PNG or JPEG, is fetched and checked, but only its shape is seen in
 * the clip.
 */
export function createDemoVideoProvider(guard: UrlGuard): GenerationProvider<VideoRequest> {
  return createDemoProvider({
    schema: DemoClip,
    describe: chooseDemoClip,
    async make({ duration, quality, upright, imageUrl }, signal) {
      let isUpright = upright
      if (imageUrl !== undefined) {
        const size = await measureReferencePicture(imageUrl, { guard, signal })
        if (size === undefined) return NOT_USABLE
        isUpright ??= size.height > size.width
      }
      const { file } = describeDemoClip({ duration, quality, upright: isUpright ?? false })
      return { bytes: await readFile(file), contentType: 'video/mp4' }
    },
  })
}

/** Chooses the clip for a checked request. */
export function chooseDemoClip(request: VideoRequest): DemoClip {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  const { aspect_ratio, image_url: imageUrl } = request
  return {
    duration,
    quality,
    ...(aspect_ratio !== undefined && { upright: aspect_ratio === '720:1280' }),
    ...(imageUrl !== undefined && { imageUrl }),
  }
}

/** Says how large a clip is, in pixels, and which file has it. `clips/make-clips.ts` writes those files. */
export function describeDemoClip({
  duration,
  quality,
  upright = false,
}: Omit<DemoClip, 'imageUrl'>) {
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = upright ? [short, long] : [long, short]
  const file = new URL(`./clips/${width}x${height}-${duration}s.mp4`, import.meta.url)
  return { width, height, file }
}

/**
 * Fetches the picture that a clip is to be made from, whole, and reads its size.
 *
 * @returns Undefined if it is not a PNG or JPEG, has no size or may not be fetched.
 * @throws {ProviderError} If the picture does not come now.
 */
async function measureReferencePicture(
  url: string,
  { guard, signal }: { guard: UrlGuard; signal: AbortSignal },
): Promise<ImageSize | undefined> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(PICTURE_MS_MAX)])
  const rules = { media: 'image', bytesMax: PICTURE_BYTES_MAX, guard, signal: bounded } as const
  try {
    return await fetchFile(url, rules, async ({ type, bytes }) =>
      PICTURE_TYPES.has(type.contentType)
        ? readImageSize(await readBody(bytes, PICTURE_BYTES_MAX))
        : undefined,
    )
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof FileRefusedError) return undefined
    throw new ProviderError('unavailable', 'The reference image did not come.', { cause })
  }
}
