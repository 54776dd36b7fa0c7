/** Listens to the buttons of cards, and finds the messages that give a card its words. */
import { type CallbackQueryContext, Composer } from 'grammy'
import type { Message, Update } from 'grammy/types'
import type { MediaKind } from '../../contract/tasks.ts'
import { Prisma } from '../../platform/database/generated/client.ts'
import {
  type BotContext,
  type Sender,
  saysStop,
  threadOf,
  withoutMentions,
} from '../telegram/addressing.ts'
import type { UpdateFacts } from '../telegram/handle-update.ts'
import type { MessageRef } from '../telegram/send.ts'
import { CARD_DATA, shownPrice } from './card-view.ts'
import { CATALOG, exists, type MediaOptions } from './catalog.ts'
import {
  type CardsApp,
  orderDraft,
  replyTo,
  showCard,
  showDoubt,
  showView,
  takeWords,
} from './draft-card.ts'
import {
  type Card,
  type CardChange,
  changeCard,
  findWaiting,
  readCard,
  saveSettings,
} from './drafts.ts'
import { readPicture } from './pictures.ts'
import { type Doubt, prepare, pricesOf } from './prices.ts'

export interface CardInputApp extends CardsApp {
  factsOf: (update: Update) => Pick<UpdateFacts, 'isFirst' | 'parts'>
}

type MessageContext = BotContext & { message: Message }

interface Press extends MessageRef {
  action: string
  chosen: string
  presser: Sender
}

interface Decision {
  change?: CardChange
  notice?: string | undefined
  next?: 'show' | 'order' | 'drop' | Doubt
}

/** Passes all other updates on. */
export function listenToCards(app: CardInputApp): Composer<BotContext> {
  const composer = new Composer<BotContext>()
  composer.callbackQuery(CARD_DATA, (ctx) => pressCard(app, ctx))
  composer.on('message', async (ctx, next) => {
    const isTaken = (await takeReply(app, ctx)) || (await takeLoose(app, ctx))
    if (!isTaken) await next()
  })
  return composer
}

/** Safe to repeat: a card makes one order, however often it is tapped. */
async function pressCard(app: CardInputApp, ctx: CallbackQueryContext<BotContext>): Promise<void> {
  const { prisma, prices, outbox, texts } = app
  const { callbackQuery, match, sender: presser } = ctx
  const notify = (text?: string) => outbox.answerButton(callbackQuery.id, text)
  if (callbackQuery.message === undefined) return notify()
  const [, cardId = '', action = '', chosen = ''] = match
  const id = BigInt(cardId)
  const { chat, message_id: messageId } = callbackQuery.message
  const target = { chatId: chat.id, messageId }
  await prices.ready()
  const press = { ...target, action, chosen, presser }
  const found = await changeCard(prisma, id, (card) => judge(app, card, press))
  if (found === undefined) {
    const isOrdered = (await prisma.order.count({ where: { id, chatId: chat.id } })) > 0
    const key = isOrdered ? 'card-ordered-already' : 'button-stale'
    return notify(texts.t(presser.languageCode, key))
  }
  const { decision } = found
  const card = { ...found.card, messageId }
  await notify(decision.notice)
  switch (decision.next) {
    case undefined:
      return
    case 'show':
      if (card.prompt === undefined) await saveSettings(prisma, card)
      return showCard(app, card)
    case 'order': {
      const prepared = await prepare(app, { ...card, user: presser })
      if ('refusal' in prepared) return showView(app, card, { text: prepared.refusal })
      return orderDraft(app, card, prepared.imageUrl)
    }
    case 'drop': {
      const { count } = await prisma.order.deleteMany({ where: { id, state: 'draft' } })
      const text = texts.t(card.user.languageCode, 'card-dropped')
      if (count > 0) await outbox.edit(target, text)
      return
    }
    default:
      return showDoubt(app, card, decision.next)
  }
}

/** Admins may use the cards of groups, since a group presses no button. */
function mayUse({ user }: Card, { id, role }: Sender): boolean {
  return user.id === id || (user.id < 0 && role === 'admin')
}

function judge(app: CardInputApp, card: Card, press: Press): Decision {
  const { kind, options } = card
  const { presser, chatId, messageId } = press
  const say = (key: string) => ({ notice: app.texts.t(presser.languageCode, key, { kind }) })
  // A client can send data that no button of its message has.
  const isItsMessage = (card.messageId ?? messageId) === messageId
  if (card.chatId !== chatId || !isItsMessage) return say('button-stale')
  if (!mayUse(card, presser)) return say('card-not-yours')
  // Its user sees an earlier state of the card.
  return judgeAction() ?? { ...say('button-stale'), next: 'show' }

  /** @returns Undefined if no button of the card has the action. */
  function judgeAction(): Decision | undefined {
    const hasWords = card.prompt !== undefined
    switch (press.action) {
      case 'set':
        return choose()
      case 'order': {
        if (!hasWords) return undefined
        const shownPrices = pricesOf(app, kind)
        const now = shownPrice({ kind, shownPrices }, options) ?? null
        if (now === (shownPrice(card, options) ?? null)) return { next: 'order' }
        return { change: { shownPrices }, next: 'card-price-changed' }
      }
      case 'drop':
        return hasWords ? { next: 'drop' } : undefined
      default:
        return undefined
    }
  }

  function choose(): Decision | undefined {
    const value = readOption(kind, press.chosen)
    if (value === undefined) return undefined
    const all = { ...options, ...value }
    if (!exists(kind, all)) return say('card-no-pair')
    const change = { options: all, shownPrices: pricesOf(app, kind) }
    if (shownPrice({ kind, ...change }, all) === undefined) return say('media-not-offered')
    return { change, next: 'show' }
  }
}

function readOption(kind: MediaKind, chosen: string): MediaOptions | undefined {
  const [name = '', text] = chosen.split(/=(.*)/)
  const known = Object.entries(CATALOG[kind].values).find(([one]) => one === name)
  const values: readonly unknown[] = known?.[1] ?? []
  const value = values.find((one) => String(one) === text)
  return value === undefined ? undefined : { [name]: value }
}

async function takeReply(app: CardInputApp, ctx: MessageContext): Promise<boolean> {
  const { prisma, texts } = app
  const { message, sender } = ctx
  const { reply_to_message: answered, message_id: messageId, chat } = message
  if (answered === undefined) return false
  const shown = { chatId: chat.id, statusMessageId: answered.message_id }
  const card = await readCard(prisma, shown)
  if (card === undefined) return wasOrdered(app, ctx)
  const hasWords = message.text !== undefined || message.photo || message.document
  if (!hasWords) return false
  const refusal = card.replyToMessageId === messageId ? undefined : findRefusal(card, ctx)
  if (refusal === undefined) {
    return takeWords(app, card.kind, { ...givenIn(ctx), picture: readPicture(message) }, { card })
  }
  const text = texts.t(sender.languageCode, refusal, { kind: card.kind })
  await replyTo(app, { ...threadOf(message), messageId }, text)
  return true
}

/** @returns False if the message follows no card, or cannot be an order. */
async function takeLoose(app: CardInputApp, ctx: MessageContext): Promise<boolean> {
  const { prisma, texts, factsOf } = app
  const { message, sender, update } = ctx
  if (message.text === undefined || isReply(message)) return false
  const isStop = saysStop(message.text, texts.t(sender.languageCode, 'stop-words'))
  // A forwarded or joined message is no description.
  const isPlain = message.forward_origin === undefined && factsOf(update).parts.length < 2
  if (isStop || !isPlain) return false
  if (await wasOrdered(app, ctx)) return true
  const place = { userId: sender.id, ...threadOf(message) }
  const before = { ...place, replyToMessageId: message.message_id }
  const repeated = factsOf(update).isFirst ? undefined : await readCard(prisma, before)
  const card = repeated ?? (sender.hasOpenCard ? await findWaiting(prisma, place) : undefined)
  if (card === undefined) return false
  const given = { ...givenIn(ctx), picture: undefined }
  return takeWords(app, card.kind, given, { card, isLoose: true })
}

async function wasOrdered({ prisma, factsOf }: CardInputApp, ctx: MessageContext) {
  const { message, sender, update } = ctx
  if (factsOf(update).isFirst) return false
  const asked = { chatId: message.chat.id, replyToMessageId: message.message_id }
  const where = { userId: sender.id, ...asked, draft: { equals: Prisma.DbNull } }
  return (await prisma.order.count({ where })) > 0
}

function givenIn({ message, sender, me }: MessageContext) {
  const isPrivate = message.chat.type === 'private'
  const words = message.text ?? message.caption ?? ''
  const text = isPrivate ? words : withoutMentions(message, me)
  return { ...threadOf(message), messageId: message.message_id, user: sender, text }
}

function findRefusal(card: Card, { sender }: MessageContext): string | undefined {
  if (!mayUse(card, sender)) return 'card-not-yours'
  return card.prompt === undefined ? undefined : 'card-use-buttons'
}

/** In a topic every message is a reply to the message that opened the topic. */
function isReply({ reply_to_message, external_reply }: Message): boolean {
  const answered = reply_to_message?.forum_topic_created ? undefined : reply_to_message
  return answered !== undefined || external_reply !== undefined
}
