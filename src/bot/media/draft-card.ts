/**
 * The cards on which users order videos, images and sounds: orders in state `draft` (docs/bot.md#cards).
 *
 * In: the words of a user, or the button Again. Out: an order, or a card with a question: for the words, a choice, a yes
 * to the price, or whether the words are an order.
 * Invariant: a message or press makes one order or card, and a card one order, also if it is handled again.
 */
import { type MediaKind, PROMPT_CHARS_MAX } from '../../contract/tasks.ts'
import { lockUser } from '../people/users.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { LimitReachedError } from '../spend/limits.ts'
import type { ChatThread, Sender } from '../telegram/addressing.ts'
import { messageOrigin } from '../telegram/origin-key.ts'
import type { MessageRef } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { hashOfPictureUrl } from './addresses.ts'
import { type CardView, limitedView, shownPrice, viewOf } from './card-view.ts'
import { complete, exists, labelOf, toRequest } from './catalog.ts'
import {
  type Card,
  type CardDraft,
  type DraftPicture,
  findShown,
  giveWords,
  hasJustOrdered,
  insertDraft,
  readMediaSettings,
} from './drafts.ts'
import { doubtText, findDoubt, type OffersApp, prepare, pricesOf, type Wish } from './offers.ts'
import type { Orders } from './orders.ts'
import type { OrdersApp } from './orders-app.ts'
import type { MediaRules } from './rules.ts'
import { readWords, type WordsRead } from './words.ts'

/** The parts of the bot that cards use. */
export interface CardsApp
  extends OffersApp,
    Pick<OrdersApp, 'prisma' | 'outbox' | 'texts' | 'log'> {
  orders: Pick<Orders, 'place' | 'start' | 'isClosed'>
  mediaRules: Pick<MediaRules, 'read'>
  limitTexts: LimitTexts
}

/** The text and sender of a command, or of a message that gives a card its words. */
export interface GivenWords extends ChatThread {
  messageId: number
  user: Sender
  text: string
  picture: DraftPicture | undefined
}

/** The card that a message gives its words to. */
export interface AskingCard {
  card: Card
  /** The message as the model would read it, if it does not answer the card. */
  looseWords?: string | undefined
}

const QUESTION_TEXTS = {
  no_value: 'card-question-no-value',
  no_pair: 'card-question-no-pair',
  contradiction: 'card-question-contradiction',
  unclear: 'card-question-unclear',
} as const

/**
 * Orders by words, with the options that the user chose last, or asks on a card.
 *
 * @returns False if loose words cannot be an order.
 */
export async function takeWords(
  app: CardsApp,
  kind: MediaKind,
  given: GivenWords,
  { card, looseWords }: Partial<AskingCard> = {},
): Promise<boolean> {
  const { prisma, prices, texts } = app
  const { user, chatId, threadId, messageId: replyToMessageId } = given
  await prices.ready()
  const chosen = card?.options ?? (await readMediaSettings(prisma, user.id, kind))
  const read = readWords(kind, given.text, chosen)
  const hasWords = read.prompt !== ''
  const picture = given.picture ?? card?.picture
  const options = complete(kind, { ...chosen, ...read.options })
  const wish = { kind, user, picture, ...(hasWords && { options }) }
  const prepared = judgeLength(app, read, user) ?? (await prepare(app, wish))
  if ('refusal' in prepared) {
    if (looseWords !== undefined) return false
    await replyTo(app, given, prepared.refusal)
    return true
  }
  const { prompt, choices, literalPrompt } = read
  const { asks, notice } = judgeWords(app, read, wish)
  const draft: CardDraft = {
    asks,
    options: hasWords || exists(kind, options) ? options : chosen,
    shownPrices: pricesOf(app, kind),
    picture,
    ...(hasWords && { prompt, choices, literalPrompt, looseWords }),
  }
  const place = { kind, user, chatId, threadId, replyToMessageId }
  const originKey = messageOrigin(chatId, replyToMessageId)
  const next = card
    ? await giveWords(prisma, card, { ...draft, replyToMessageId })
    : await insertDraft(prisma, { ...draft, ...place, originKey })
  const isAsked = card === undefined && next?.messageId !== undefined
  if (next?.state !== 'draft' || isAsked) return true
  const isSure = asks === 'confirmation' && notice === undefined && looseWords === undefined
  if (!isSure) await showCard(app, next, viewOf(next, texts, notice))
  else await orderOrAsk(app, next, shownPrice(card ?? next, next.options), prepared.imageUrl)
  return true
}

/**
 * Orders a draft at once, or asks on its card if there is a doubt.
 *
 * @param shown The price that its user read; null if it was not known.
 * @returns Whether it is ordered.
 */
export async function orderOrAsk(
  app: CardsApp,
  card: Card,
  shown: bigint | null | undefined,
  imageUrl: string | undefined,
): Promise<boolean> {
  const { prisma, prices, mediaRules, texts } = app
  const { kind, options, user } = card
  const { confirmFromMicroRub } = await mediaRules.read()
  const price = prices.priceOf(labelOf(kind, options)) ?? null
  const isSecond = await hasJustOrdered(prisma, user.id)
  const doubt = findDoubt({ price, shown, confirmFromMicroRub, isSecond })
  if (doubt === undefined) return orderDraft(app, card, imageUrl)
  const notice = doubtText(doubt, { languageCode: user.languageCode, texts })
  await showCard(app, card, viewOf(card, texts, notice))
  return false
}

/**
 * Orders a draft at the price that its card keeps. If a limit leaves no room, the card shows it.
 *
 * @returns Whether it is ordered.
 */
export async function orderDraft(
  app: CardsApp,
  card: Card,
  imageUrl: string | undefined,
): Promise<boolean> {
  const { prisma, orders } = app
  const { id, kind, user, options, prompt = '', messageId: statusMessageId = null } = card
  const { request } = toRequest(kind, { prompt, options, imageUrl })
  const params = { ...request }
  const priceMicroRub = shownPrice(card, options) ?? null
  const priced = { params, label: labelOf(kind, options), priceMicroRub, statusMessageId }
  const pictureHash = hashOfPictureUrl(imageUrl)
  try {
    await prisma.$transaction(async (tx) => {
      await lockUser(tx, user.id)
      const data = { ...priced, pictureHash }
      const { count } = await tx.order.updateMany({ where: { id, state: 'draft' }, data })
      if (count === 0) return
      await orders.place(tx, { id, userId: user.id, chatId: card.chatId, priceMicroRub })
    })
    orders.start(id)
    return true
  } catch (error) {
    if (!(error instanceof LimitReachedError)) throw error
    await showCard(app, card, limitedView(card, error.refusal, app))
    return false
  }
}

/** Shows a card in its message, or in a new one. */
export async function showCard(app: CardsApp, card: Card, view: CardView): Promise<void> {
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

/** Shows a card without the limit that kept it from being ordered, once that was raised. */
export async function showRaised(app: CardsApp, message: MessageRef): Promise<void> {
  const card = await findShown(app.prisma, message)
  if (card?.asks !== 'confirmation' || card.isOld) return
  await showCard(app, card, viewOf(card, app.texts))
}

/** Answers a message with a sentence. */
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

/** Counts code points; what may be an option counts as words. */
function judgeLength(
  { texts }: CardsApp,
  { prompt, literalPrompt = prompt }: WordsRead,
  { languageCode }: Sender,
): { refusal: string } | undefined {
  const [length, limit] = [[...literalPrompt].length, PROMPT_CHARS_MAX]
  if (length <= limit) return undefined
  return { refusal: texts.t(languageCode, 'media-too-long', { length, limit }) }
}

function judgeWords(
  { texts }: CardsApp,
  { prompt, options, questions }: WordsRead,
  { user: { languageCode }, picture }: Wish,
): { asks: CardDraft['asks']; notice?: string | undefined } {
  const byReason = Object.entries(Object.groupBy(questions, ({ reason }) => reason))
  const lines = byReason.map(([reason, ofReason]) => {
    const written = ofReason.flatMap((question) => question.written)
    const key = QUESTION_TEXTS[reason as keyof typeof QUESTION_TEXTS]
    return texts.t(languageCode, key, { count: written.length, written: written.join(', ') })
  })
  const notice = lines.length === 0 ? undefined : lines.join('\n')
  if (prompt === '') return { asks: 'words', notice }
  const others = questions.filter(({ name }) => picture === undefined || name !== 'shape')
  if (others.length > 0) return { asks: 'choice', notice }
  const asksShape = options.shape !== undefined || questions.length > 0
  if (picture === undefined || !asksShape) return { asks: 'confirmation' }
  return { asks: 'confirmation', notice: texts.t(languageCode, 'card-own-shape') }
}
