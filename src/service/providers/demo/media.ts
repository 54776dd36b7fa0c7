/** The demo's media: ready files in this folder. All is made in one `check()`, and again after a restart. */
import { readFile } from 'node:fs/promises'
import {
  IMAGE_DEFAULTS,
  type ImageRequest,
  type MediaKind,
  SOUND_DEFAULTS,
  type SoundRequest,
  VIDEO_DEFAULTS,
  type VideoRequest,
} from '../../../contract/tasks.ts'
import { FileRefusedError, fetchFile } from '../../../platform/http/fetch-file.ts'
import { readBody } from '../../../platform/http/http-client.ts'
import { type ImageSize, readImageSize } from '../../../platform/http/media-type.ts'
import type { UrlGuard } from '../../../platform/http/url-guard.ts'
import { type GenerationProvider, type GenerationState, ProviderError } from '../provider.ts'

const PICTURE_BYTES_MAX = 20 * 1024 * 1024
const PICTURE_MS_MAX = 30_000

const VIDEO_SIZES = {
  '720p': { landscape: '1280x720', portrait: '720x1280' },
  '1080p': { landscape: '1920x1080', portrait: '1080x1920' },
} as const
const IMAGE_SIZES = { '1:1': '1024x1024', '16:9': '1280x720', '9:16': '720x1280' } as const

const WAV_HEADER_BYTES = 44

const NOT_USABLE: GenerationState = {
  status: 'fail',
  code: 502,
  message:
    'The demo cannot use the reference image: it takes PNG, JPEG and WebP from public addresses.',
}

/** Makes media by ready files. Reference pictures are fetched from the hosts of `guard`. */
export function createDemoProvider(media: MediaKind, guard: UrlGuard): GenerationProvider<object> {
  return {
    start: async (request) => ({ request }),
    async check({ request }, { signal }) {
      signal.throwIfAborted()
      if (media === 'video') return await makeVideo(request as VideoRequest, guard, signal)
      if (media === 'image') return await makeImage(request as ImageRequest)
      return await makeSound(request as SoundRequest)
    },
  }
}

/** A reference picture gives the video its shape if the request names none. */
async function makeVideo(
  request: VideoRequest,
  guard: UrlGuard,
  signal: AbortSignal,
): Promise<GenerationState> {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  const { aspect_ratio, image_url } = request
  let isPortrait = aspect_ratio === '720:1280'
  if (image_url !== undefined) {
    const picture = await measurePicture(image_url, guard, signal)
    if (picture === undefined) return NOT_USABLE
    if (aspect_ratio === undefined) isPortrait = picture.height > picture.width
  }
  const size = VIDEO_SIZES[quality][isPortrait ? 'portrait' : 'landscape']
  return toSuccess(await readDemoFile(`${size}-${duration}s.mp4`), 'video/mp4')
}

async function makeImage({ aspect_ratio = IMAGE_DEFAULTS.aspect_ratio }: ImageRequest) {
  return toSuccess(await readDemoFile(`${IMAGE_SIZES[aspect_ratio]}.png`), 'image/png')
}

async function makeSound({ duration = SOUND_DEFAULTS.duration }: SoundRequest) {
  return toSuccess(repeatSound(await readDemoFile('melody.wav'), duration), 'audio/wav')
}

async function readDemoFile(name: string): Promise<Buffer> {
  return await readFile(new URL(name, import.meta.url))
}

function toSuccess(bytes: Uint8Array, contentType: string): GenerationState {
  return { status: 'success', results: [{ type: 'bytes', bytes, contentType }] }
}

/** Each quarter of a second of the melody is a note that fades out: it may end at any full second without a click. */
function repeatSound(melody: Buffer, seconds: number): Buffer {
  const bytesPerSecond = melody.readUInt32LE(28)
  const samples = Buffer.alloc(seconds * bytesPerSecond, melody.subarray(WAV_HEADER_BYTES))
  const header = Buffer.from(melody.subarray(0, WAV_HEADER_BYTES))
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + samples.length, 4)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** Returns undefined if it is no picture, has no size or may not be fetched. */
async function measurePicture(
  url: string,
  guard: UrlGuard,
  signal: AbortSignal,
): Promise<ImageSize | undefined> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(PICTURE_MS_MAX)])
  const rules = { media: 'image', bytesMax: PICTURE_BYTES_MAX, guard, signal: bounded } as const
  try {
    return await fetchFile(url, rules, async ({ bytes }) =>
      readImageSize(await readBody(bytes, PICTURE_BYTES_MAX)),
    )
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof FileRefusedError) return undefined
    throw new ProviderError('unavailable', 'The reference image did not come.', { cause })
  }
}
