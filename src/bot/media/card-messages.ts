/** Finds the messages that give a card its words, and listens to its buttons. */
import { Composer } from 'grammy'
import type { Message, Update } from 'grammy/types'
import { type BotContext, saysStop, threadOf, withoutMentions } from '../telegram/addressing.ts'
import type { UpdateFacts } from '../telegram/handle-update.ts'
import { toPrompt } from '../telegram/prompt.ts'
import { type CardPressApp, mayUse, pressCard } from './card-press.ts'
import { CARD_DATA } from './card-view.ts'
import { replyTo, takeWords } from './draft-card.ts'
import { type Card, findShown, findWaiting, isOrderedBy, readCard } from './drafts.ts'
import { readPicture } from './pictures.ts'

export interface CardInputApp extends CardPressApp {
  factsOf: (update: Update) => Pick<UpdateFacts, 'isFirst' | 'parts'>
}

type MessageContext = BotContext & { message: Message }

/** Listens to presses on cards and to messages that are meant for one. All other updates go on. */
export function listenToCards(app: CardInputApp): Composer<BotContext> {
  const composer = new Composer<BotContext>()
  composer.callbackQuery(CARD_DATA, (ctx) => pressCard(app, ctx))
  composer.on('message', async (ctx, next) => {
    const isTaken = (await takeReply(app, ctx)) || (await takeLoose(app, ctx))
    if (!isTaken) await next()
  })
  return composer
}

async function takeReply(app: CardInputApp, ctx: MessageContext): Promise<boolean> {
  const { prisma, texts } = app
  const { message, sender } = ctx
  const { reply_to_message: answered, message_id: messageId, chat } = message
  if (answered === undefined) return false
  const card = await findShown(prisma, { chatId: chat.id, messageId: answered.message_id })
  if (card === undefined) return wasOrdered(app, ctx)
  const refusal = card.replyToMessageId === messageId ? undefined : findRefusal(card, ctx)
  if (refusal === undefined) {
    return takeWords(app, card.kind, { ...givenIn(ctx), picture: readPicture(message) }, { card })
  }
  const text = texts.t(sender.languageCode, refusal, { kind: card.kind })
  await replyTo(app, { ...threadOf(message), messageId }, text)
  return true
}

/**
 * Takes a message that follows a card without answering it: an order or a question.
 *
 * @returns False if it follows none, or cannot be an order.
 */
async function takeLoose(app: CardInputApp, ctx: MessageContext): Promise<boolean> {
  const { prisma, texts, factsOf } = app
  const { message, sender, me, update } = ctx
  if (message.text === undefined || isReply(message)) return false
  const isStop = saysStop(message.text, texts.t(sender.languageCode, 'stop-words'))
  // A forwarded or joined message is no description.
  const isPlain = message.forward_origin === undefined && factsOf(update).parts.length < 2
  if (isStop || !isPlain) return false
  if (await wasOrdered(app, ctx)) return true
  const given = { userId: sender.id, ...threadOf(message) }
  const before = { ...given, replyToMessageId: message.message_id, state: 'draft' } as const
  const repeated = factsOf(update).isFirst ? undefined : await readCard(prisma, before)
  const card = repeated ?? (sender.hasOpenCard ? await findWaiting(prisma, given) : undefined)
  if (card === undefined) return false
  const { text: looseWords } = toPrompt(message, { sender, me, texts })
  return takeWords(app, card.kind, { ...givenIn(ctx), picture: undefined }, { card, looseWords })
}

/** Checks whether a message that is handled again has become an order. */
async function wasOrdered({ prisma, factsOf }: CardInputApp, ctx: MessageContext) {
  const { message, sender, update } = ctx
  if (factsOf(update).isFirst) return false
  return isOrderedBy(prisma, {
    userId: sender.id,
    chatId: message.chat.id,
    messageId: message.message_id,
  })
}

function givenIn({ message, sender, me }: MessageContext) {
  const isPrivate = message.chat.type === 'private'
  const words = message.text ?? message.caption ?? ''
  const text = isPrivate ? words : withoutMentions(message, me)
  return { ...threadOf(message), messageId: message.message_id, user: sender, text }
}

function findRefusal(card: Card, { message, sender }: MessageContext): string | undefined {
  if (!mayUse(card, sender)) return 'card-not-yours'
  if (card.isOld) return 'card-old'
  if (card.asks !== 'words') return 'card-use-buttons'
  const hasWords = message.text !== undefined || message.photo || message.document
  return hasWords ? undefined : 'card-in-words'
}

/** In a topic every message is a reply to the message that opened the topic. */
function isReply({ reply_to_message, external_reply }: Message): boolean {
  const answered = reply_to_message?.forum_topic_created ? undefined : reply_to_message
  return answered !== undefined || external_reply !== undefined
}
