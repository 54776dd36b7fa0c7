import { IMAGE_DEFAULTS, ImageRequest } from '../../../contract/image.ts'
import type { MediaRequest } from '../../../contract/media.ts'
import { SOUND_DEFAULTS, SoundRequest } from '../../../contract/sound.ts'
import { VIDEO_DEFAULTS, VideoRequest } from '../../../contract/video.ts'
import { createGuard } from '../../../guard.ts'
import type { Texts } from '../../locales/texts.ts'
import { shortenLine } from '../../shorten.ts'
import { formatMoney } from '../../spend/format.ts'
import { languageOf } from '../../users.ts'
import { OUTCOME_UNKNOWN, OVERDUE, TASK_LOST, UNDELIVERABLE } from './order-failure.ts'
import type { Order } from './order-store.ts'

const CAPTION_PROMPT_CHARS_MAX = 200

/** By the codes that are ours. */
const OWN_TEXTS: Readonly<Record<number, string>> = {
  [OUTCOME_UNKNOWN.code]: 'clip-outcome-unknown',
  [OVERDUE.code]: 'clip-overdue',
  [TASK_LOST.code]: 'clip-lost',
  [UNDELIVERABLE.code]: 'clip-undeliverable',
}

/** By the status with which the service refused the order. */
const REFUSED_TEXTS: Readonly<Record<number, string>> = {
  402: 'clip-refused-balance',
  429: 'clip-refused-busy',
  502: 'clip-refused-provider',
  503: 'clip-refused-unavailable',
}

const isVideoRequest = createGuard(VideoRequest)
const isImageRequest = createGuard(ImageRequest)
const isSoundRequest = createGuard(SoundRequest)

/** What was asked for, as it goes to the service. @throws {TypeError} If what is stored is damaged. */
export function mediaOf({ kind, params }: Pick<Order, 'kind' | 'params'>): MediaRequest {
  if (kind === 'video' && isVideoRequest(params)) return { kind, request: params }
  if (kind === 'image' && isImageRequest(params)) return { kind, request: params }
  if (kind === 'sound' && isSoundRequest(params)) return { kind, request: params }
  throw new TypeError('Cannot read order: its params are damaged')
}

/**
 * How an order stands, for its status message.
 *
 * @param position In the queue for the service; 0 where it need not wait.
 */
export function statusText(
  order: Order,
  { texts: { t }, position }: { texts: Texts; position: number },
): string {
  const language = languageOf(order.user)
  const summary = summaryOf(order, { t })
  const price = priceOf(order)
  switch (order.state) {
    case 'placed':
    case 'submitted':
      return t(language, 'order-placed', { summary, price, position })
    case 'generating':
    case 'ready':
      return t(language, 'order-generating', { summary, price })
    case 'delivered':
      return t(language, 'order-delivered', { summary, price })
    case 'failed':
      return t(language, 'order-failed', { summary })
    case 'cancelled':
      return t(language, 'order-cancelled', { summary })
  }
}

/** Why there is no clip, and what became of the money. */
export function failureText(order: Order, { t }: Texts): string {
  const language = languageOf(order.user)
  const { taskId, errorCode, errorMessage: reason } = order
  const code = errorCode ?? 0
  const price = priceOf(order)
  const key = OWN_TEXTS[code] ?? (taskId === null ? REFUSED_TEXTS[code] : undefined)
  if (key !== undefined) return t(language, key, { price })
  const plain = taskId === null ? 'clip-refused-request' : 'clip-failed'
  return reason === null
    ? t(language, plain, { price })
    : t(language, `${plain}-why`, { price, reason })
}

/** What stands under the clip: its description, shortened, and its price. */
export function captionOf(order: Order): string {
  const prompt = shortenLine(mediaOf(order).request.prompt, CAPTION_PROMPT_CHARS_MAX)
  return `${prompt}\n${priceOf(order)}`
}

/** A clip's size and length as they were ordered. */
export function shapeOf({
  duration = VIDEO_DEFAULTS.duration,
  quality,
  aspect_ratio,
}: VideoRequest) {
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = aspect_ratio === '720:1280' ? [short, long] : [long, short]
  return { width, height, durationSeconds: duration }
}

function summaryOf(order: Order, { t }: Pick<Texts, 't'>): string {
  const media = mediaOf(order)
  const language = languageOf(order.user)
  switch (media.kind) {
    case 'video': {
      const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = media.request
      const shape = media.request.aspect_ratio === '720:1280' ? 'portrait' : 'landscape'
      return t(language, 'clip-summary', { seconds: duration, quality, shape })
    }
    case 'image':
      return t(language, 'image-summary', {
        shape: media.request.aspect_ratio ?? IMAGE_DEFAULTS.aspect_ratio,
      })
    case 'sound':
      return t(language, 'sound-summary', {
        seconds: media.request.duration ?? SOUND_DEFAULTS.duration,
      })
  }
}

function priceOf(order: Order): string {
  return formatMoney(order.priceMicroRub ?? 0n, languageOf(order.user))
}
