import type { MediaRequest } from '../../contract/tasks.ts'
import { languageOf } from '../people/users.ts'
import { type QueuePosition, waitText } from '../queue.ts'
import { formatMoney } from '../spend/format.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'
import { toOptions } from './catalog.ts'
import { priceText, summaryText } from './option-texts.ts'
import {
  CHAT_UNREACHABLE,
  CHAT_UNREACHABLE_EARLY,
  type Order,
  OUTCOME_UNKNOWN,
  OVERDUE,
  TASK_LOST,
  UNDELIVERABLE,
} from './orders-app.ts'

const CAPTION_PROMPT_CHARS_MAX = 200
const TITLE_CHARS_MAX = 60

const OWN_TEXTS: Readonly<Record<number, string>> = {
  [OUTCOME_UNKNOWN.code]: 'order-outcome-unknown',
  [OVERDUE.code]: 'order-overdue',
  [TASK_LOST.code]: 'order-lost',
  [UNDELIVERABLE.code]: 'order-undeliverable',
  [CHAT_UNREACHABLE.code]: 'order-chat-away',
  [CHAT_UNREACHABLE_EARLY.code]: 'order-chat-away-early',
}

const REFUSED_TEXTS: Readonly<Record<number, string>> = {
  402: 'order-refused-balance',
  404: 'media-refused-unknown',
  502: 'order-refused-provider',
  503: 'order-refused-unavailable',
}

export function mediaOf({ kind, params }: Pick<Order, 'kind' | 'params'>): MediaRequest {
  return { kind, request: params } as MediaRequest
}

/** @param position In the queue for the service; undefined if it need not wait. */
export function statusText(
  order: Order,
  { texts: { t }, position }: { texts: Pick<Texts, 't'>; position?: QueuePosition | undefined },
): string {
  const language = languageOf(order.user)
  const facts = { summary: summaryOf(order, { t }), price: priceOf(order, { t }), kind: order.kind }
  const say = (key: string, more: TextVariables = {}) => t(language, key, { ...facts, ...more })
  switch (order.state) {
    case 'waiting':
      return say('order-waiting')
    case 'placed':
    case 'submitted':
      if (position === undefined) return say('order-placed')
      if (position.isAway) return say('order-service-away')
      return say('order-in-line', {
        position: position.position,
        wait: waitText(position.waitMs, (key, variables) => t(language, key, variables)),
      })
    case 'generating':
      return say('order-generating')
    case 'ready':
      return say('order-ready')
    case 'delivered':
      return say('order-delivered')
    case 'failed':
      return say('order-failed', { reason: failureText(order, { t }) })
    case 'cancelled':
      return say('order-cancelled')
    case 'draft':
      throw new TypeError(`Cannot write the status of order ${order.id}: it is not ordered`)
  }
}

type FailedOrder = PricedOrder & Pick<Order, 'kind' | 'taskId' | 'errorCode' | 'errorMessage'>

export function failureText(order: FailedOrder, { t }: Pick<Texts, 't'>): string {
  const language = languageOf(order.user)
  const { taskId, errorCode, errorMessage: reason } = order
  const code = errorCode ?? 0
  const facts = { price: priceOf(order, { t }), kind: order.kind }
  const key = OWN_TEXTS[code] ?? (taskId === null ? REFUSED_TEXTS[code] : undefined)
  if (key !== undefined) return t(language, key, facts)
  const plain = taskId === null ? 'order-refused-request' : 'task-failed'
  return reason === null
    ? t(language, plain, facts)
    : t(language, `${plain}-why`, { ...facts, reason })
}

export function captionOf(order: Order): string {
  const prompt = shortenLine(mediaOf(order).request.prompt, CAPTION_PROMPT_CHARS_MAX)
  const price = order.priceMicroRub
  return price === null ? prompt : `${prompt}\n${formatMoney(price, languageOf(order.user))}`
}

export function trackTitleOf(order: Order): string {
  return shortenLine(mediaOf(order).request.prompt, TITLE_CHARS_MAX)
}

export function summaryOf(
  order: Pick<Order, 'kind' | 'params' | 'user'>,
  texts: Pick<Texts, 't'>,
): string {
  const media = mediaOf(order)
  const { kind, request } = media
  const hasPicture = kind === 'video' && request.image_url !== undefined
  const languageCode = languageOf(order.user)
  const choice = { kind, options: toOptions(media), hasPicture }
  const options = summaryText(choice, { languageCode, texts })
  return texts.t(languageCode, 'order-summary', { kind, options })
}

type PricedOrder = Pick<Order, 'priceMicroRub' | 'user'>

function priceOf(order: PricedOrder, texts: Pick<Texts, 't'>): string {
  return priceText(order.priceMicroRub, { languageCode: languageOf(order.user), texts })
}
