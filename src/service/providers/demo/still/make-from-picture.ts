import type { VideoDuration, VideoQuality } from '../../../../contract/video.ts'
import { readBody } from '../../../../platform/http/exchange.ts'
import { FileRefusedError, fetchFile } from '../../../../platform/http/fetch-file.ts'
import type { UrlGuard } from '../../../../platform/http/find-target.ts'
import { readImageSize } from '../../../../platform/http/image-size.ts'
import { ProviderError } from '../../provider.ts'
import { frameSize } from '../frame-size.ts'
import { drawLine } from '../text.ts'
import { makeStillClip } from './still-clip.ts'

const PICTURE_BYTES_MAX = 20 * 1024 * 1024
const FETCH_MS_MAX = 30_000
/** What the renderer draws. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg'])

const NOT_USABLE = {
  status: 'fail',
  code: 502,
  message: 'The demo cannot use the reference image: it takes PNG and JPEG from public addresses.',
} as const

interface Picture {
  bytes: Buffer
  contentType: string
}

/**
 * Makes a clip from a reference picture, which fills its frame and stands still.
 *
 * @param upright As the picture is where it is undefined.
 * @throws {ProviderError} If the picture does not come now.
 */
export async function makeFromPicture(
  url: string,
  {
    quality,
    duration,
    upright,
  }: { quality: VideoQuality; duration: VideoDuration; upright?: boolean },
  { guard, signal }: { guard: UrlGuard; signal: AbortSignal },
) {
  const picture = await fetchPicture(url, { guard, signal })
  const size = picture && readImageSize(picture.bytes)
  if (picture === undefined || size === undefined) return NOT_USABLE
  const frame = frameSize({ quality, upright: upright ?? size.height > size.width })
  // Loaded with the first picture: a native library that most services never need.
  const { rasterize } = await import('../raster.ts')
  const { pixels } = await rasterize(drawFrame(picture, frame))
  signal.throwIfAborted()
  return { bytes: await makeStillClip({ ...frame, pixels }, duration), contentType: 'video/mp4' }
}

/** Undefined if it is none that can be drawn, or may not be fetched. */
async function fetchPicture(
  url: string,
  { guard, signal }: { guard: UrlGuard; signal: AbortSignal },
): Promise<Picture | undefined> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS_MAX)])
  const rules = { media: 'image', bytesMax: PICTURE_BYTES_MAX, guard, signal: bounded } as const
  try {
    return await fetchFile(url, rules, async ({ type: { contentType }, bytes }) =>
      DRAWN.has(contentType)
        ? { contentType, bytes: await readBody(bytes, PICTURE_BYTES_MAX) }
        : undefined,
    )
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof FileRefusedError) return undefined
    throw new ProviderError('unavailable', 'The reference image did not come.', { cause })
  }
}

/** @returns An SVG. */
function drawFrame(
  { bytes, contentType }: Picture,
  { width, height }: { width: number; height: number },
): string {
  const unit = Math.min(width, height) / 720
  const label = { x: 100 * unit, y: 76 * unit, size: 48 * unit, fill: '#ffd166' }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<image width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice" href="data:${contentType};base64,${bytes.toString('base64')}"/>
<rect x="${24 * unit}" y="${24 * unit}" width="${152 * unit}" height="${72 * unit}" rx="${24 * unit}" fill="#0b1020" fill-opacity="0.6"/>
${drawLine('demo', label)}
</svg>`
}
