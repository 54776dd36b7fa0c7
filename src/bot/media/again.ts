/** Buttons below results and failures that order the same, or a variant, once more. */
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { MediaKind } from '../../contract/tasks.ts'
import type { Prisma } from '../../platform/database/generated/client.ts'
import { languageOf } from '../people/users.ts'
import { formatMoney } from '../spend/format.ts'
import { type ChatThread, pressOrigin, type Sender } from '../telegram/addressing.ts'
import type { Texts } from '../texts/texts.ts'
import { complete, exists, labelOf, type MediaOptions, toOptions } from './catalog.ts'
import { type CardsApp, orderOrAsk } from './draft-card.ts'
import { type DraftPicture, insertDraft } from './drafts.ts'
import { type ButtonedOrder, deliveredFilesOf, ORDER_RELATIONS, type Order } from './orders-app.ts'
import { pictureWith } from './pictures.ts'
import { type MediaPrices, prepare, pricesOf } from './prices.ts'
import { mediaOf } from './texts.ts'

/** The same order, another shape, another length, or a video from the image. */
const VARIANTS = ['again', 'shape', 'length', 'animate'] as const
type Variant = (typeof VARIANTS)[number]

/** The variant, the order, and the price on the button in micro-roubles. */
export const AGAIN_DATA = /^order:(again|shape|length|animate):(\d{1,18}):(\d{1,15})?$/

/** With its price, the word for a shape is too wide for half of a phone. */
const ROWS: readonly (readonly Variant[])[] = [['again', 'length', 'animate'], ['shape']]

/** Orders that were placed. */
export const ORDERED = { state: { notIn: ['draft', 'dropped'] } } satisfies Prisma.OrderWhereInput

interface Choice {
  kind: MediaKind
  options: MediaOptions
  picture?: DraftPicture | undefined
}

/** Draws the buttons, each with its price. */
export function createAgainButtons({
  prices,
  texts,
}: {
  prices: Pick<MediaPrices, 'priceOf' | 'isOffered'>
  texts: Texts
}) {
  return {
    belowResult: (order: ButtonedOrder) => keyboardOf(order, ROWS),
    belowFailure: (order: ButtonedOrder) => keyboardOf(order, [['again']]),
  }

  function keyboardOf(order: ButtonedOrder, rows: typeof ROWS): InlineKeyboardMarkup {
    const buttons = rows.map((variants) => variants.flatMap((one) => buttonOf(order, one)))
    return { inline_keyboard: buttons.filter(({ length }) => length > 0) }
  }

  function buttonOf(order: ButtonedOrder, variant: Variant): InlineKeyboardButton[] {
    const choice = choiceOf(order, variant)
    const label = choice && labelOf(choice.kind, choice.options)
    if (label === undefined || !prices.isOffered(label)) return []
    const language = languageOf(order.user)
    const { shape, duration = 0 } = choice?.options ?? {}
    const isPortrait = String(shape === '9:16')
    const name = texts.t(language, `button-${variant}`, { seconds: duration, isPortrait })
    const price = prices.priceOf(label)
    const text = price === undefined ? name : `${name} · ${formatMoney(price, language)}`
    return [{ text, callback_data: `order:${variant}:${order.id}:${price ?? ''}` }]
  }
}

export type AgainButtons = ReturnType<typeof createAgainButtons>

/** A press of such a button, by any user who sees it. */
export interface AgainPress extends ChatThread {
  /** The same when the press is handled again. */
  id: string
  messageId: number
  match: readonly (string | undefined)[]
  user: Sender
  t(key: string): string
  notify(text?: string): Promise<void>
  answer(text: string): Promise<void>
}

/** Orders a variant for the user who pressed, at the price of the moment. If there is a doubt, a card asks. */
export async function pressAgain(app: CardsApp, press: AgainPress): Promise<void> {
  const { id, match, user, chatId, threadId, messageId: replyToMessageId, t, notify } = press
  const [, variant = '', orderId = '', price] = match
  // Anyone may repeat what their chat has seen.
  const seen = { ...ORDERED, id: BigInt(orderId), OR: [{ userId: user.id }, { chatId }] }
  const base = await app.prisma.order.findFirst({ where: seen, include: ORDER_RELATIONS })
  const choice = base === null ? undefined : choiceOf(base, variant as Variant)
  if (base === null || choice === undefined) return notify(t('button-stale'))
  await app.prices.ready()
  const prepared = await prepare(app, { ...choice, user })
  if ('refusal' in prepared) {
    await notify()
    return press.answer(prepared.refusal)
  }
  const card = await insertDraft(app.prisma, {
    ...choice,
    user,
    chatId,
    threadId,
    replyToMessageId,
    prompt: mediaOf(base).request.prompt,
    shownPrices: pricesOf(app, choice.kind),
    originKey: pressOrigin(id),
    buttonKey: `${variant} ${orderId} ${user.id}`,
  })
  if (card === undefined) return notify(t('again-under-way'))
  const shown = price === undefined ? null : BigInt(price)
  const isOrdered = await orderOrAsk(app, card, shown, prepared.imageUrl)
  await notify(isOrdered ? t('again-placed') : undefined)
}

/** @returns Undefined if there is no such variant of the order. */
function choiceOf(
  order: Pick<Order, 'kind' | 'params' | 'deliveredFiles'>,
  variant: Variant,
): Choice | undefined {
  const media = mediaOf(order)
  const { kind, request } = media
  const options = toOptions(media)
  const url = kind === 'video' ? request.image_url : undefined
  const picture = url === undefined ? undefined : ({ type: 'served', url } as const)
  switch (variant) {
    case 'again':
      return { kind, options, picture }
    case 'shape': {
      // A video that is made from a picture has the picture's shape.
      if (options.shape === undefined || picture !== undefined) return undefined
      return { kind, options: { ...options, shape: options.shape === '9:16' ? '16:9' : '9:16' } }
    }
    case 'length': {
      if (options.duration === undefined) return undefined
      const other = { ...options, duration: options.duration === 10 ? 5 : 10 }
      return exists(kind, other) ? { kind, options: other, picture } : undefined
    }
    case 'animate':
      if (kind !== 'image') return undefined
      return { kind: 'video', options: complete('video', {}), picture: pictureOf(order) }
  }
}

/** The image that an order made, as Telegram holds it. Without an id it counts as gone. */
function pictureOf(order: Pick<Order, 'deliveredFiles'>): DraftPicture {
  const files = deliveredFilesOf(order)
  const file = files.find(({ type }) => type === 'photo' || type === 'document')
  return pictureWith(file?.fileId ?? '')
}
