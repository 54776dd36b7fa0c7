import { readImageSize } from '../../../platform/http/image-size.ts'
import { recogniseMedia } from '../../../platform/http/media-type.ts'
import { DOWNLOAD_BYTES_MAX } from '../../telegram/download-file.ts'
import type { Picture } from './read-picture.ts'

/** Pixels of a side. Smaller ones show nothing, larger ones no service takes. */
const SIDE_MIN = 200
const SIDE_MAX = 8000
/** The longer side to the shorter. Clips have 16 to 9; panoramas and screens of phones pass. */
const ASPECT_MAX = 3

/** What services take a picture as. */
const CONTENT_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp'])

/** Why no clip is made from a picture. The texts name the limits above. */
export type PictureProblem = 'too_large' | 'wrong_shape' | 'not_a_picture'

/** Judges a picture by what Telegram tells of it, before it is fetched. */
export function judgeFacts({
  sizeBytes = 0,
  width,
  height,
}: Pick<Picture, 'sizeBytes' | 'width' | 'height'>): PictureProblem | undefined {
  if (sizeBytes > DOWNLOAD_BYTES_MAX) return 'too_large'
  if (width === undefined || height === undefined) return undefined
  const [short, long] = width < height ? [width, height] : [height, width]
  const fits = short >= SIDE_MIN && long <= SIDE_MAX && long <= ASPECT_MAX * short
  return fits ? undefined : 'wrong_shape'
}

/** Judges a picture by its bytes, whatever was said of it. */
export function judgeBytes(bytes: Buffer): { contentType: string } | { problem: PictureProblem } {
  const { contentType = '' } = recogniseMedia(bytes) ?? {}
  const size = CONTENT_TYPES.has(contentType) ? readImageSize(bytes) : undefined
  if (size === undefined) return { problem: 'not_a_picture' }
  const problem = judgeFacts({ sizeBytes: bytes.byteLength, ...size })
  return problem === undefined ? { contentType } : { problem }
}
