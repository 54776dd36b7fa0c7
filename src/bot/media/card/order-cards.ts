import { Composer } from 'grammy'
import type { Message, Update } from 'grammy/types'
import type { Logger } from 'pino'
import type { MediaKind } from '../../../contract/tasks.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { readTime } from '../../../platform/database/prisma.ts'
import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import {
  type BotContext,
  type Sender,
  saysStop,
  threadOf,
  withoutMentions,
} from '../../telegram/addressing.ts'
import type { UpdateFacts } from '../../telegram/handle-update.ts'
import { type Prompt, toPrompt } from '../../telegram/prompt.ts'
import type { MessageRef, Outbox } from '../../telegram/send.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import type { Pictures } from '../picture/pictures.ts'
import { readPicture } from '../picture/read-picture.ts'
import { CARD_DATA } from './card-data.ts'
import { createCardMessages } from './card-messages.ts'
import { type Card, createCardStore } from './card-store.ts'
import { viewOf } from './card-view.ts'
import { mayUseCard } from './judge-press.ts'
import { createMediaSettings } from './media-settings.ts'
import type { OrderCreation } from './order-creation.ts'
import { createOrderWithCard } from './order-with-card.ts'
import { createPrepareOrder } from './prepare-order.ts'
import { createPressCard } from './press-card.ts'
import { createTakeWords, type GivenWords } from './take-words.ts'

export interface OrderCardsDeps {
  prisma: PrismaClient
  creation: OrderCreation
  pictures: Pick<Pictures, 'offer'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered'>
  mediaRules: Pick<MediaRules, 'read'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editKeyboard' | 'remove' | 'answerButton'>
  limitTexts: LimitTexts
  texts: Texts
  log: Logger
  factsOf: (update: Update) => Pick<UpdateFacts, 'isFirst' | 'parts'>
  askModel: (ctx: BotContext, prompt: Prompt) => Promise<void>
}

type MessageContext = BotContext & { message: Message }

/**
 * The cards on which users order clips, pictures and sounds. What a card is for is kept in the database, so
 * that any process goes on with it.
 *
 * The life of a card, state by state: docs/bot.md#cards.
 */
export function createOrderCards(deps: OrderCardsDeps) {
  const { prisma, creation, pictures, prices, mediaRules, outbox, limitTexts, texts, log } = deps
  const { factsOf, askModel } = deps
  const store = createCardStore(prisma)
  const settings = createMediaSettings(prisma)
  const { prepare } = createPrepareOrder({ creation, pictures })
  const messages = createCardMessages({ store, outbox, log })
  const { orderWith } = createOrderWithCard({ store, creation, messages, limitTexts, texts })
  const { take } = createTakeWords({
    store,
    settings,
    prepare,
    creation,
    orderWith,
    prices,
    rules: mediaRules,
    messages,
    limitTexts,
    texts,
  })
  const { press } = createPressCard({
    store,
    settings,
    prepare,
    creation,
    orderWith,
    prices,
    rules: mediaRules,
    messages,
    outbox,
    texts,
  })
  return { command, updates: listen(), showRaised }

  async function command(
    kind: MediaKind,
    { argument: text, ...given }: Omit<GivenWords, 'text'> & { argument: string },
  ): Promise<void> {
    await take(kind, { ...given, text })
  }

  async function showRaised(message: MessageRef): Promise<void> {
    const card = await store.findByMessage(message)
    if (card?.state !== 'confirmation' || card.isOld) return
    await messages.change(message, viewOf(card, texts))
  }

  function listen(): Composer<BotContext> {
    const composer = new Composer<BotContext>()
    composer.callbackQuery(CARD_DATA, async (ctx) => {
      const { callbackQuery, match, sender } = ctx
      const { id: callbackQueryId, message, data } = callbackQuery
      const notify = (text?: string) => outbox.answerButton(callbackQueryId, text)
      if (message === undefined) return notify()
      const target = { chatId: message.chat.id, messageId: message.message_id }
      await press({
        ...target,
        cardId: BigInt(match[1] ?? ''),
        data,
        presser: sender,
        notify,
        askModel: async (card) => askModel(ctx, await toPromptOf(card, sender)),
      })
    })
    composer.on('message', async (ctx, next) => {
      const isTaken = (await takeReply(ctx)) || (await takeLoose(ctx))
      if (!isTaken) await next()
    })
    return composer
  }

  async function takeReply(ctx: MessageContext): Promise<boolean> {
    const { message, sender } = ctx
    const { reply_to_message: answered, chat, message_id: messageId } = message
    if (answered === undefined) return false
    const found = { chatId: chat.id, messageId: answered.message_id }
    const card = await store.findByMessage(found)
    const isRepeated = card?.wordsMessageId === messageId
    if (card === undefined || card.state === 'dropped') return false
    if (card.state === 'ordered' && !isRepeated) return false
    const refusal = isRepeated ? undefined : findRefusal(card, ctx)
    if (refusal !== undefined) {
      const text = texts.t(sender.languageCode, refusal, { kind: card.kind })
      await messages.say({ ...threadOf(message), messageId }, text)
      return true
    }
    const given = { ...givenIn(ctx), picture: readPicture(message) }
    return take(card.kind, given, { card, looseWords: null })
  }

  /**
   * Takes the message that follows a card without answering it: it is either an order or a question.
   *
   * @returns False where it follows none, or cannot be an order.
   */
  async function takeLoose(ctx: MessageContext): Promise<boolean> {
    const { message, sender, me, update } = ctx
    const card = await findFollowed(ctx)
    if (card === undefined) return false
    const isStop = saysStop(message.text ?? '', texts.t(sender.languageCode, 'stop-words'))
    // What was written elsewhere, or in several messages, is no description.
    const isPlain = message.forward_origin === undefined && factsOf(update).parts.length < 2
    if (message.text === undefined || isStop || !isPlain) return false
    const { text: looseWords } = toPrompt(message, { sender, me, texts })
    return take(card.kind, { ...givenIn(ctx), picture: undefined }, { card, looseWords })
  }

  async function findFollowed({
    message,
    sender,
    update,
  }: MessageContext): Promise<Card | undefined> {
    const { chatId, threadId } = threadOf(message)
    if (isReply(message)) return undefined
    if (!factsOf(update).isFirst) {
      const given = { userId: sender.id, chatId, messageId: message.message_id }
      const card = await store.findByWords(given)
      if (card !== undefined) return card.state === 'dropped' ? undefined : card
    }
    const id = sender.openCardId
    if (id === undefined) return undefined
    const card = await store.find(id)
    const isOpen = card?.isNew && card.state === 'words'
    if (!isOpen) return void (await store.close(id, sender.id))
    return card.chatId === chatId && card.threadId === threadId ? card : undefined
  }

  function givenIn({ message, sender, me }: MessageContext) {
    const isPrivate = message.chat.type === 'private'
    const words = message.text ?? message.caption ?? ''
    const text = isPrivate ? words : withoutMentions(message, me)
    return { ...threadOf(message), messageId: message.message_id, user: sender, text }
  }

  async function toPromptOf(card: Card, user: Sender): Promise<Prompt> {
    const { chatId, threadId, replyToMessageId: messageId, looseWords } = card
    const sentAt = await readTime(prisma)
    return { chatId, threadId, messageId, text: looseWords ?? '', sentAt, user }
  }

  function findRefusal(card: Card, { message, sender }: MessageContext): string | undefined {
    if (!mayUseCard(card, sender)) return 'card-not-yours'
    if (card.isOld) return 'card-old'
    if (card.state !== 'words') return 'card-use-buttons'
    const hasWords = message.text !== undefined || message.photo || message.document
    return hasWords ? undefined : 'card-in-words'
  }
}

export type OrderCards = ReturnType<typeof createOrderCards>

/** In a topic every message answers the one that opened it. */
function isReply({ reply_to_message, external_reply }: Message): boolean {
  const answered = reply_to_message?.forum_topic_created ? undefined : reply_to_message
  return answered !== undefined || external_reply !== undefined
}
