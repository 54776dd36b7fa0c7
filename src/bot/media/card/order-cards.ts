import { Composer } from 'grammy'
import type { Message } from 'grammy/types'
import type { Logger } from 'pino'
import type { MediaKind } from '../../../contract/media.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import { withoutMentions } from '../../telegram/addressing/address.ts'
import { threadOf } from '../../telegram/addressing/chat-thread.ts'
import type { BotContext } from '../../telegram/addressing/sender.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import type { Pictures } from '../picture/pictures.ts'
import { readPicture } from '../picture/read-picture.ts'
import { CARD_DATA } from './card-data.ts'
import { createCardMessages } from './card-messages.ts'
import { type Card, createCardStore } from './card-store.ts'
import { mayUseCard } from './judge-press.ts'
import { createMediaSettings } from './media-settings.ts'
import type { OrderCreation } from './order-creation.ts'
import { createPrepareOrder } from './prepare-order.ts'
import { createPressCard } from './press-card.ts'
import { createTakeWords, type GivenWords } from './take-words.ts'

export interface OrderCardsDeps {
  prisma: PrismaClient
  creation: OrderCreation
  pictures: Pick<Pictures, 'offer'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered'>
  mediaRules: Pick<MediaRules, 'read'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editKeyboard' | 'answerButton'>
  limitTexts: LimitTexts
  texts: Texts
  log: Logger
}

/**
 * The cards on which users order clips, pictures and sounds. What a card is for is kept in the database, so
 * that any process goes on with it.
 *
 * The life of a card, state by state: docs/bot.md#cards.
 */
export function createOrderCards(deps: OrderCardsDeps) {
  const { prisma, creation, pictures, prices, mediaRules, outbox, limitTexts, texts, log } = deps
  const store = createCardStore(prisma)
  const settings = createMediaSettings(prisma)
  const { prepare } = createPrepareOrder({ creation, pictures })
  const messages = createCardMessages({ store, outbox, texts, log })
  const { take } = createTakeWords({
    store,
    settings,
    prepare,
    creation,
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
    prices,
    rules: mediaRules,
    messages,
    outbox,
    limitTexts,
    texts,
  })
  return { command, updates: listen() }

  /** Orders what a command asks for, or opens a card. */
  function command(
    kind: MediaKind,
    { argument: text, ...given }: Omit<GivenWords, 'text'> & { argument: string },
  ): Promise<void> {
    return take(kind, { ...given, text })
  }

  /** Presses on cards, and replies to them: those are orders, and nothing that the model reads. */
  function listen(): Composer<BotContext> {
    const composer = new Composer<BotContext>()
    composer.callbackQuery(CARD_DATA, async ({ callbackQuery, match, sender }) => {
      const { id: callbackQueryId, message, data } = callbackQuery
      const notify = (text?: string) => outbox.answerButton(callbackQueryId, text)
      if (message === undefined) return notify()
      const target = { chatId: message.chat.id, messageId: message.message_id }
      await press({ ...target, cardId: BigInt(match[1] ?? ''), data, presser: sender, notify })
    })
    composer.on('message', async (ctx, next) => {
      const card = await findAnswered(ctx.message)
      const isAnswer = card !== undefined && (await takeReply(card, ctx))
      if (!isAnswer) await next()
    })
    return composer
  }

  async function findAnswered({ chat, reply_to_message }: Message): Promise<Card | undefined> {
    if (reply_to_message === undefined) return undefined
    return store.findByMessage({ chatId: chat.id, messageId: reply_to_message.message_id })
  }

  /** @returns False where the card asks for nothing any more. */
  async function takeReply(
    card: Card,
    { message, sender, me }: BotContext & { message: Message },
  ): Promise<boolean> {
    if (card.state === 'ordered' || card.state === 'dropped') return false
    const answered = { ...threadOf(message), messageId: message.message_id }
    const refusal = findRefusal(card, { message, sender })
    if (refusal !== undefined) {
      await messages.say(answered, texts.t(sender.languageCode, refusal, { kind: card.kind }))
      return true
    }
    const isPrivate = message.chat.type === 'private'
    const words = message.text ?? message.caption ?? ''
    const text = isPrivate ? words : withoutMentions(message, me)
    await take(card.kind, { ...answered, user: sender, text, picture: readPicture(message) }, card)
    return true
  }

  /** The key of the text that says why a reply is no order. */
  function findRefusal(
    card: Card,
    { message, sender }: Pick<BotContext, 'sender'> & { message: Message },
  ): string | undefined {
    if (!mayUseCard(card, sender)) return 'card-not-yours'
    if (card.isOld) return 'card-old'
    if (card.state !== 'words') return 'card-use-buttons'
    const hasWords = message.text !== undefined || message.photo || message.document
    return hasWords ? undefined : 'card-in-words'
  }
}

export type OrderCards = ReturnType<typeof createOrderCards>
