import { isDeepStrictEqual } from 'node:util'
import type { CallbackQueryContext } from 'grammy'
import type { MediaKind } from '../../contract/tasks.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { BotContext, Sender } from '../telegram/addressing.ts'
import type { Prompt } from '../telegram/prompt.ts'
import type { MessageRef } from '../telegram/send.ts'
import { type CardView, shownPrice, viewOf } from './card-view.ts'
import { CATALOG, complete, exists, type MediaOptions, optionNames } from './catalog.ts'
import { type CardsApp, orderDraft, showCard } from './draft-card.ts'
import {
  type Card,
  type CardChange,
  changeCard,
  hasJustOrdered,
  readCard,
  saveSettings,
} from './drafts.ts'
import { type Doubt, doubtText, findDoubt, prepare, pricesOf } from './offers.ts'
import { optionText } from './option-texts.ts'

export interface CardPressApp extends CardsApp {
  askModel: (ctx: BotContext, prompt: Prompt) => Promise<void>
}

/** A press of a card's button, by any user who sees it. */
interface Press extends MessageRef {
  action: string
  /** The option, or the number of the choice, on the button. */
  chosen: string
  presser: Sender
  confirmFromMicroRub: bigint
  isSecond: boolean
}

/** The effect of a press: a change of the card, a notice to its user, and the next step. */
interface Decision {
  change?: CardChange
  notice?: string
  next?: 'show' | 'show_newest' | 'order' | 'ask_model' | 'close'
  doubt?: Doubt | undefined
}

/** Carries out a press of a card's button. Safe to repeat: a card makes one order, however often it is tapped. */
export async function pressCard(
  app: CardPressApp,
  ctx: CallbackQueryContext<BotContext>,
): Promise<void> {
  const { prisma, prices, mediaRules, outbox, texts } = app
  const { callbackQuery, match, sender: presser } = ctx
  const { languageCode } = presser
  const notify = (text?: string) => outbox.answerButton(callbackQuery.id, text)
  if (callbackQuery.message === undefined) return notify()
  const [, cardId = '', action = '', chosen = ''] = match
  const id = BigInt(cardId)
  const { chat, message_id: messageId } = callbackQuery.message
  const target = { chatId: chat.id, messageId }
  await prices.ready()
  const { confirmFromMicroRub } = await mediaRules.read()
  const isSecond = await hasJustOrdered(prisma, presser.id)
  const press = { ...target, action, chosen, presser, confirmFromMicroRub, isSecond }
  const found = await changeCard(prisma, id, (card) => judge(app, card, press))
  if (found === undefined) {
    const isOrdered = (await prisma.order.count({ where: { id, chatId: chat.id } })) > 0
    return notify(texts.t(languageCode, isOrdered ? 'card-ordered-already' : 'button-stale'))
  }
  const { decision } = found
  const card = { ...found.card, messageId }
  await notify(decision.notice)
  switch (decision.next) {
    case 'show': {
      const notice = doubtText(decision.doubt, { languageCode: card.user.languageCode, texts })
      return showCard(app, card, viewOf(card, texts, notice))
    }
    case 'show_newest':
      return showNewest(app, card)
    case 'order': {
      const prepared = await prepare(app, { ...card, user: presser })
      if ('refusal' in prepared) return showCard(app, card, { text: prepared.refusal })
      return void (await orderDraft(app, card, prepared.imageUrl))
    }
    case 'ask_model': {
      await outbox.remove(target)
      const { threadId, replyToMessageId, looseWords: text = '' } = card
      const asked = { chatId: chat.id, threadId, messageId: replyToMessageId, text }
      return app.askModel(ctx, { ...asked, sentAt: await readTime(prisma), user: presser })
    }
    case 'close':
      return void (await outbox.editKeyboard(target))
  }
}

/** Checks whether a user may use a card: their own, or as an admin a group's, since a group presses no button. */
export function mayUse({ user }: Card, { id, role }: Sender): boolean {
  return user.id === id || (user.id < 0 && role === 'admin')
}

function judge(app: CardPressApp, card: Card, press: Press): Decision {
  const { kind, asks, options, looseWords } = card
  const { presser, chatId, messageId } = press
  const say = (key: string) => ({ notice: app.texts.t(presser.languageCode, key, { kind }) })
  // A client can send data that no button of its message has.
  const isItsMessage = (card.messageId ?? messageId) === messageId
  if (card.chatId !== chatId || !isItsMessage) return say('button-stale')
  if (!mayUse(card, presser)) return say('card-not-yours')
  if (card.isOld) return { ...say('card-old'), next: 'close' }
  const isForModel = press.action === 'ask' && looseWords !== undefined && asks !== 'words'
  if (isForModel) return { change: { state: 'dropped' }, next: 'ask_model' }
  const decision = card.state === 'draft' ? judgeAction() : undefined
  if (decision !== undefined) return decision
  // Its user sees an earlier state of the card.
  return { ...say('button-stale'), next: 'show_newest' }

  /** @returns Undefined if no button of the card's state has the action. */
  function judgeAction(): Decision | undefined {
    const { choices = [], literalPrompt } = card
    const shownPrices = pricesOf(app, kind)
    switch (`${asks} ${press.action}`) {
      case 'words set':
        return choose()
      case 'words sound': {
        const sound = complete('sound', card.settings.sound ?? {})
        return kind === 'image' ? offer('sound', sound) : undefined
      }
      case 'choice take': {
        const choice = choices[Number(press.chosen)]
        return choice && orderOrAsk({ options: { ...options, ...choice } })
      }
      case 'choice literal':
        return literalPrompt === undefined ? undefined : orderOrAsk({ prompt: literalPrompt })
      case 'confirmation order': {
        const now = shownPrice({ kind, shownPrices }, options) ?? null
        if (now === (shownPrice(card, options) ?? null)) return { next: 'order' }
        return { change: { shownPrices }, next: 'show', doubt: 'new_price' }
      }
      case 'choice drop':
      case 'confirmation drop':
        return { change: { state: 'dropped' }, next: 'show' }
      default:
        return undefined
    }
  }

  function choose(): Decision | undefined {
    const value = readOption(kind, press.chosen)
    if (value === undefined) return undefined
    const all = { ...options, ...value }
    if (exists(kind, all)) return offer(kind, all)
    const names = optionNames(kind)
    const tapped = names.find((name) => name in value)
    const other = names.find(
      (name) => name !== tapped && !exists(kind, { ...value, [name]: options[name] }),
    )
    if (tapped === undefined || other === undefined) return undefined
    const reader = { languageCode: presser.languageCode, texts: app.texts }
    const pair = {
      tapped: optionText(tapped, value, reader),
      chosen: optionText(other, options, reader),
    }
    return { notice: app.texts.t(presser.languageCode, 'card-no-pair', pair) }
  }

  function offer(other: MediaKind, all: MediaOptions): Decision {
    const change = { kind: other, options: all, shownPrices: pricesOf(app, other) }
    if (shownPrice(change, all) === undefined) return say('media-not-offered')
    return { change, next: 'show_newest' }
  }

  function orderOrAsk(answer: Pick<CardChange, 'options' | 'prompt'>): Decision {
    const change = { ...answer, asks: 'confirmation', shownPrices: pricesOf(app, kind) } as const
    const all = answer.options ?? options
    const price = shownPrice({ kind, ...change }, all) ?? null
    const doubt = findDoubt({ ...press, price, shown: shownPrice(card, all) })
    return { change, next: doubt === undefined ? 'order' : 'show', doubt }
  }
}

/** Shows a card until its row and its message agree: two taps at once may edit in the wrong order. */
async function showNewest(app: CardPressApp, { id, messageId }: Card): Promise<void> {
  let shown: CardView | undefined
  for (;;) {
    const card = await readCard(app.prisma, { id })
    // The question of a choice is not stored. The message of an ordered card is its order's.
    if (card === undefined || card.asks === 'choice') return
    const view = viewOf(card, app.texts)
    if (isDeepStrictEqual(view, shown)) return
    if (card.asks === 'words') await saveSettings(app.prisma, card)
    await showCard(app, { ...card, messageId }, view)
    shown = view
  }
}

/** Reads an option of a button; undefined if it does not exist. */
function readOption(kind: MediaKind, chosen: string): MediaOptions | undefined {
  const [name = '', text] = chosen.split(/=(.*)/)
  const known = Object.entries(CATALOG[kind].values).find(([one]) => one === name)
  const values: readonly unknown[] = known?.[1] ?? []
  const value = values.find((one) => String(one) === text)
  return value === undefined ? undefined : { [name]: value }
}
