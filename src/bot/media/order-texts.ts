import { VIDEO_DEFAULTS, VideoRequest } from '../../contract/video.ts'
import { createGuard } from '../../guard.ts'
import type { Texts } from '../locales/texts.ts'
import { shortenLine } from '../shorten.ts'
import { formatMoney } from '../spend/format.ts'
import { languageOf } from '../users.ts'
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
