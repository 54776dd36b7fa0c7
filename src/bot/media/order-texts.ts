import { VIDEO_DEFAULTS, VideoRequest } from '../../contract/video.ts'
import { createGuard } from '../../guard.ts'
import type { Texts } from '../locales/texts.ts'
import { shortenLine } from '../shorten.ts'
import { formatMoney } from '../spend/format.ts'
import { languageOf } from '../users.ts'
import { OUTCOME_UNKNOWN, OVERDUE, TASK_LOST, UNDELIVERABLE } from './order-failure.ts'
import type { Order } from './order-store.ts'

const CAPTION_PROMPT_CHARS_MAX = 200

const isVideoRequest = createGuard(VideoRequest)

/** What was asked for, as it goes to the service. @throws {TypeError} If what is stored is damaged. */
export function requestOf({ params }: Pick<Order, 'params'>): VideoRequest {
  if (!isVideoRequest(params)) throw new TypeError('Cannot read order: its params are damaged')
  return params
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
  }
}

/** Why there is no clip, and what became of the money. */
export function failureText(order: Order, { t }: Texts): string {
  const language = languageOf(order.user)
  const price = priceOf(order)
  const reason = order.errorMessage
  switch (order.errorCode) {
    case OUTCOME_UNKNOWN:
      return t(language, 'clip-outcome-unknown', { price })
    case OVERDUE:
      return t(language, 'clip-overdue', { price })
    case TASK_LOST:
      return t(language, 'clip-lost', { price })
    case UNDELIVERABLE:
      return t(language, 'clip-undeliverable', { price })
  }
  if (order.taskId !== null) {
    return reason === null
      ? t(language, 'clip-failed', { price })
      : t(language, 'clip-failed-why', { price, reason })
  }
  switch (order.errorCode) {
    case 402:
      return t(language, 'clip-refused-balance')
    case 429:
      return t(language, 'clip-refused-busy')
    case 502:
      return t(language, 'clip-refused-provider')
    case 503:
      return t(language, 'clip-refused-unavailable')
    default:
      return reason === null
        ? t(language, 'clip-refused-request')
        : t(language, 'clip-refused-request-why', { reason })
  }
}

/** What stands under the clip: its description, shortened, and its price. */
export function captionOf(order: Order): string {
  const prompt = shortenLine(requestOf(order).prompt, CAPTION_PROMPT_CHARS_MAX)
  return `${prompt}\n${priceOf(order)}`
}

/** The clip's size and length as they were ordered. */
export function shapeOf(order: Order) {
  const { duration = VIDEO_DEFAULTS.duration, quality, aspect_ratio } = requestOf(order)
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = aspect_ratio === '720:1280' ? [short, long] : [long, short]
  return { width, height, durationSeconds: duration }
}

function summaryOf(order: Order, { t }: Pick<Texts, 't'>): string {
  const {
    duration = VIDEO_DEFAULTS.duration,
    quality = VIDEO_DEFAULTS.quality,
    aspect_ratio,
  } = requestOf(order)
  const shape = aspect_ratio === '720:1280' ? 'portrait' : 'landscape'
  return t(languageOf(order.user), 'clip-summary', {
    seconds: duration,
    quality,
    shape,
  })
}

function priceOf(order: Order): string {
  return formatMoney(order.priceMicroRub ?? 0n, languageOf(order.user))
}
