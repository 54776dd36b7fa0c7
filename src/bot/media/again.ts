/** Buttons below results and failures that open a card with the same words: as they were, or to animate an image. */
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Prisma } from '../../platform/database/generated/client.ts'
import { languageOf } from '../people/users.ts'
import { type ChatThread, pressOrigin, type Sender } from '../telegram/addressing.ts'
import type { Texts } from '../texts/texts.ts'
import { complete, toOptions } from './catalog.ts'
import { type CardsApp, showCard } from './draft-card.ts'
import { type DraftPicture, insertDraft } from './drafts.ts'
import { type ButtonedOrder, deliveredFilesOf, ORDER_RELATIONS, type Order } from './orders-app.ts'
import { pictureWith } from './pictures.ts'
import { type MediaPrices, prepare, pricesOf } from './prices.ts'
import { mediaOf } from './texts.ts'

export const AGAIN_DATA = /^order:(again|animate):(\d{1,18})$/

export const ORDERED = { state: { not: 'draft' } } satisfies Prisma.OrderWhereInput

export function createAgainButtons({
  prices,
  texts,
}: {
  prices: Pick<MediaPrices, 'kinds'>
  texts: Texts
}) {
  return {
    belowResult: (order: ButtonedOrder) =>
      order.kind === 'image' && prices.kinds()?.includes('video')
        ? keyboardOf(order, ['again', 'animate'])
        : keyboardOf(order, ['again']),
    belowFailure: (order: ButtonedOrder) => keyboardOf(order, ['again']),
  }

  function keyboardOf({ id, user }: ButtonedOrder, actions: string[]): InlineKeyboardMarkup {
    const buttons = actions.map((action) => ({
      text: texts.t(languageOf(user), `button-${action}`),
      callback_data: `order:${action}:${id}`,
    }))
    return { inline_keyboard: [buttons] }
  }
}

export type AgainButtons = ReturnType<typeof createAgainButtons>

export interface AgainPress extends ChatThread {
  /** Equal if the press is handled again. */
  id: string
  messageId: number
  match: readonly (string | undefined)[]
  user: Sender
  t(key: string): string
  notify(text?: string): Promise<void>
  answer(text: string): Promise<void>
}

export async function pressAgain(app: CardsApp, press: AgainPress): Promise<void> {
  const { id, match, user, chatId, threadId, messageId: replyToMessageId, t, notify } = press
  const [, action, orderId = ''] = match
  // Anyone may repeat what their chat has seen.
  const seen = { ...ORDERED, id: BigInt(orderId), OR: [{ userId: user.id }, { chatId }] }
  const base = await app.prisma.order.findFirst({ where: seen, include: ORDER_RELATIONS })
  if (base === null) return notify(t('button-stale'))
  await notify()
  await app.prices.ready()
  const choice = action === 'animate' ? animated(base) : repeated(base)
  const prepared = await prepare(app, { kind: choice.kind, options: choice.options, user })
  if ('refusal' in prepared) return press.answer(prepared.refusal)
  const card = await insertDraft(app.prisma, {
    ...choice,
    user,
    chatId,
    threadId,
    replyToMessageId,
    prompt: mediaOf(base).request.prompt,
    shownPrices: pricesOf(app, choice.kind),
    originKey: pressOrigin(id),
  })
  if (card !== undefined) await showCard(app, card)
}

function repeated(order: Pick<Order, 'kind' | 'params'>) {
  const media = mediaOf(order)
  const url = media.kind === 'video' ? media.request.image_url : undefined
  const picture: DraftPicture | undefined = url === undefined ? url : { type: 'served', url }
  return { kind: media.kind, options: toOptions(media), picture }
}

/** Without a file id the image counts as gone. */
function animated(order: Pick<Order, 'deliveredFiles'>) {
  const files = deliveredFilesOf(order)
  const file = files.find(({ type }) => type === 'photo' || type === 'document')
  const picture: DraftPicture = pictureWith(file?.fileId ?? '')
  return { kind: 'video', options: complete('video', {}), picture } as const
}
