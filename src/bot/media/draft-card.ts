/**
 * The cards on which users order videos, images and sounds: orders in state `draft` (docs/bot.md#cards).
 *
 * In: the words of a user, or the button Again. Out: an order, or a card that asks for the words or for a yes.
 * Invariant: a message or press makes one order or card, and a card one order, also if it is handled again.
 */

import { type MediaKind, PROMPT_CHARS_MAX } from '../../contract/tasks.ts'
import { lockUser } from '../people/users.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { LimitReachedError, type LimitRefusal } from '../spend/limits.ts'
import type { StoredSettings } from '../stored-settings.ts'
import { type ChatThread, messageOrigin, type Sender } from '../telegram/addressing.ts'
import type { MessageRef } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import { hashOfPictureUrl } from './addresses.ts'
import { type CardView, shownPrice, viewOf } from './card-view.ts'
import { combine, exists, labelOf, type MediaOptions, toRequest } from './catalog.ts'
import {
  type Card,
  type CardDraft,
  type DraftPicture,
  giveWords,
  hasJustOrdered,
  insertDraft,
  readCard,
  readMediaSettings,
} from './drafts.ts'
import type { Orders } from './orders.ts'
import type { OrdersApp } from './orders-app.ts'
import { type Doubt, findDoubt, type OffersApp, prepare, pricesOf } from './prices.ts'
import { readWords, type WordsRead } from './words.ts'

export interface CardsApp
  extends OffersApp,
    Pick<OrdersApp, 'prisma' | 'outbox' | 'texts' | 'log'> {
  orders: Pick<Orders, 'place' | 'start'>
  storedSettings: Pick<StoredSettings, 'read'>
  limitTexts: LimitTexts
}

export interface GivenWords extends ChatThread {
  messageId: number
  user: Sender
  text: string
  picture: DraftPicture | undefined
}

export interface AskingCard {
  card: Card
  /** The message follows the card without answering it. */
  isLoose?: boolean
}

/** Orders with the options chosen last, or asks on a card. @returns False if loose words cannot be an order. */
export async function takeWords(
  app: CardsApp,
  kind: MediaKind,
  given: GivenWords,
  { card, isLoose = false }: Partial<AskingCard> = {},
): Promise<boolean> {
  const { prisma, prices, texts } = app
  const { user, chatId, threadId, messageId: replyToMessageId } = given
  await prices.ready()
  const chosen = card?.options ?? (await readMediaSettings(prisma, user.id, kind))
  const read = readWords(kind, given.text)
  const hasWords = read.prompt !== ''
  const picture = given.picture ?? card?.picture
  const options = combine(kind, read.options, chosen)
  const wish = { kind, user, picture, ...(hasWords && { options }) }
  const prepared = judgeLength(app, read, user) ?? (await prepare(app, wish))
  if ('refusal' in prepared) {
    if (isLoose) return false
    await replyTo(app, given, prepared.refusal)
    return true
  }
  const draft: CardDraft = {
    options,
    shownPrices: pricesOf(app, kind),
    picture,
    ...(hasWords && { prompt: read.prompt }),
  }
  const place = { kind, user, chatId, threadId, replyToMessageId }
  const originKey = messageOrigin(chatId, replyToMessageId)
  const next = card
    ? await giveWords(prisma, card, { ...draft, replyToMessageId })
    : await insertDraft(prisma, { ...draft, ...place, originKey })
  const isAsked = card === undefined && next?.messageId !== undefined
  if (next === undefined || isAsked) return true
  const notice = findNotice(next, read, { ...chosen, ...read.options }, texts)
  const isSure = hasWords && notice === undefined && !isLoose
  if (!isSure) await showCard(app, next, notice)
  else await orderOrAsk(app, next, shownPrice(card ?? next, next.options), prepared.imageUrl)
  return true
}

/** @param shown The price that its user read; null if it was not known. */
async function orderOrAsk(
  app: CardsApp,
  card: Card,
  shown: bigint | null | undefined,
  imageUrl: string | undefined,
): Promise<void> {
  const { prisma, prices, storedSettings } = app
  const { kind, options, user } = card
  const { confirmFromMicroRub } = await storedSettings.read()
  const price = prices.priceOf(labelOf(kind, options)) ?? null
  const isSecond = await hasJustOrdered(prisma, user.id)
  const doubt = findDoubt({ price, shown, confirmFromMicroRub, isSecond })
  if (doubt === undefined) return orderDraft(app, card, imageUrl)
  await showDoubt(app, card, doubt)
}

/** Orders at the price that the card keeps. If a limit leaves no room, the card shows it. */
export async function orderDraft(
  app: CardsApp,
  card: Card,
  imageUrl: string | undefined,
): Promise<void> {
  const { prisma, orders } = app
  const { id, kind, user, options, prompt = '', messageId: statusMessageId = null } = card
  const { request } = toRequest(kind, { prompt, options, imageUrl })
  const params = { ...request }
  const priceMicroRub = shownPrice(card, options) ?? null
  const priced = { params, label: labelOf(kind, options), priceMicroRub, statusMessageId }
  const data = { ...priced, pictureHash: hashOfPictureUrl(imageUrl) }
  try {
    await prisma.$transaction(async (tx) => {
      await lockUser(tx, user.id)
      const { count } = await tx.order.updateMany({ where: { id, state: 'draft' }, data })
      if (count === 0) return
      await orders.place(tx, { id, userId: user.id, chatId: card.chatId, priceMicroRub })
    })
    orders.start(id)
  } catch (error) {
    if (!(error instanceof LimitReachedError)) throw error
    await showLimited(app, card, error.refusal)
  }
}

export function showCard(app: CardsApp, card: Card, notice?: string): Promise<void> {
  return showView(app, card, viewOf(card, app.texts, notice))
}

export function showDoubt(app: CardsApp, card: Card, doubt: Doubt): Promise<void> {
  const { languageCode } = card.user
  return showCard(app, card, doubt === 'high_price' ? undefined : app.texts.t(languageCode, doubt))
}

function showLimited(app: CardsApp, card: Card, refusal: LimitRefusal): Promise<void> {
  const { texts, limitTexts } = app
  const { languageCode } = card.user
  const { text, keyboard } = viewOf(card, texts, limitTexts.refusal(refusal, languageCode))
  const ask = limitTexts.askButton(refusal, languageCode)
  const rows = [...(keyboard?.inline_keyboard ?? []), [ask]]
  return showView(app, card, { text, keyboard: { inline_keyboard: rows } })
}

export async function showView(app: CardsApp, card: Card, view: CardView): Promise<void> {
  const { prisma, outbox } = app
  const { id, chatId, messageId, replyToMessageId } = card
  const { text, keyboard } = view
  const shown = messageId && (await outbox.edit({ chatId, messageId }, text, { keyboard }))
  if (shown === 'shown') return
  const sent = await send(app, { ...card, messageId: replyToMessageId }, view)
  if (sent === undefined) return
  const data = { statusMessageId: sent.messageId }
  await prisma.order.updateMany({ where: { id, state: 'draft' }, data })
}

/** Shows a card again after the limit that refused it was raised. */
export async function showRaised(app: CardsApp, message: MessageRef): Promise<void> {
  const { chatId, messageId: statusMessageId } = message
  const card = await readCard(app.prisma, { chatId, statusMessageId })
  if (card?.prompt !== undefined) await showCard(app, card)
}

export async function replyTo(
  app: CardsApp,
  answered: ChatThread & MessageRef,
  text: string,
): Promise<void> {
  await send(app, answered, { text })
}

/** A message that may be lost is not sent again: its user can ask again. */
function send(
  { outbox, log }: CardsApp,
  { chatId, threadId, messageId: replyToMessageId }: ChatThread & MessageRef,
  view: CardView,
): Promise<MessageRef | undefined> {
  const message = { chatId, threadId, replyToMessageId, ...view }
  const once = { chatId, ifLost: 'card maybe not shown', log }
  return sendBestEffort(() => outbox.send(message), once)
}

/** Counts code points. */
function judgeLength(
  { texts }: CardsApp,
  { prompt }: WordsRead,
  { languageCode }: Sender,
): { refusal: string } | undefined {
  const [length, limit] = [[...prompt].length, PROMPT_CHARS_MAX]
  if (length <= limit) return undefined
  return { refusal: texts.t(languageCode, 'media-too-long', { length, limit }) }
}

function findNotice(
  { kind, picture, user }: Card,
  { options: written, unclear }: WordsRead,
  wanted: MediaOptions,
  texts: Texts,
): string | undefined {
  const { languageCode } = user
  const say = (key: string, variables?: Record<string, string | number>) =>
    texts.t(languageCode, key, variables)
  const asked = { count: unclear.length, written: unclear.join(', ') }
  const lines = unclear.length > 0 ? [say('card-unclear', asked)] : []
  if (!exists(kind, wanted)) lines.push(say('card-no-pair'))
  if (picture !== undefined && written.shape !== undefined) lines.push(say('card-own-shape'))
  return lines.length === 0 ? undefined : lines.join('\n')
}
