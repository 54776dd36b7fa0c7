import { SOUND_DEFAULTS, VIDEO_DEFAULTS } from '../../../contract/tasks.ts'
import type { FileSource, OutgoingFile, ShownAs } from '../../telegram/send.ts'
import type { Order } from '../order/order-store.ts'
import { captionOf, mediaOf, trackTitleOf } from '../order/order-texts.ts'
import type { ClipFacts } from './mp4-facts.ts'

/** One of an order's results, as it is given to Telegram. */
export interface GivenResult {
  type: ShownAs
  source: FileSource
  index: number
  /** The facts in a fetched clip; they count more than what was ordered. */
  clip?: ClipFacts | undefined
}

/**
 * Says of a result what Telegram cannot find out by itself. The first one of a message has the order's words.
 *
 * A thumbnail is not among it: no library in pure JavaScript decodes H.264. Telegram makes its own for a small video; one
 * above 10 MB goes without.
 */
export function toOutgoing(order: Order, { type, source, index, clip }: GivenResult): OutgoingFile {
  const file = { type, source, ...(index === 0 && { caption: captionOf(order) }) }
  if (type === 'video') return { ...file, ...(clip ?? orderedFacts(order)) }
  if (type === 'audio') return { ...file, ...orderedFacts(order), title: trackTitleOf(order) }
  return file
}

/** Derives the facts from what was ordered. The shape of a clip that was made from a picture is the picture's. */
function orderedFacts(order: Order): Partial<ClipFacts> {
  const media = mediaOf(order)
  if (media.kind === 'image') return {}
  if (media.kind === 'sound') {
    return { durationSeconds: media.request.duration ?? SOUND_DEFAULTS.duration }
  }
  const { duration = VIDEO_DEFAULTS.duration, quality, aspect_ratio, image_url } = media.request
  if (image_url !== undefined && aspect_ratio === undefined) return { durationSeconds: duration }
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = aspect_ratio === '720:1280' ? [short, long] : [long, short]
  return { width, height, durationSeconds: duration }
}
