import { isDeepStrictEqual } from 'node:util'
import type { Texts } from '../../locales/texts.ts'
import type { Sender } from '../../telegram/addressing.ts'
import type { MessageRef, Outbox } from '../../telegram/send.ts'
import { optionText } from '../option-texts.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import { readCardAction } from './card-data.ts'
import type { CardMessages } from './card-messages.ts'
import { labelPrices } from './card-prices.ts'
import { type Card, type CardStore, cardOrigin } from './card-store.ts'
import { type CardView, doubtNotice, viewOf } from './card-view.ts'
import { judgePress, mayUseCard, type PressDecision, type PressFacts } from './judge-press.ts'
import type { MediaSettings } from './media-settings.ts'
import type { OrderCreation } from './order-creation.ts'
import type { OrderWithCard } from './order-with-card.ts'
import type { PrepareOrder } from './prepare-order.ts'
import { refusalText } from './refusal-text.ts'

/** A press of a card's button, by any user who sees it. */
export interface CardPress extends MessageRef {
  cardId: bigint
  data: string
  presser: Sender
  notify(text?: string): Promise<void>
  askModel(card: Card): Promise<void>
}

/** `foreign`: the button stands below no such card. `not_yours`: the card is another user's. */
type Decision = PressDecision | { type: 'foreign' | 'not_yours' | 'old'; change?: undefined }

export interface PressCardDeps {
  store: Pick<CardStore, 'change' | 'find' | 'hasOrder'>
  settings: Pick<MediaSettings, 'read' | 'save'>
  prepare: PrepareOrder
  creation: Pick<OrderCreation, 'hasJustOrdered'>
  orderWith: OrderWithCard['orderWith']
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered'>
  rules: Pick<MediaRules, 'read'>
  messages: Pick<CardMessages, 'change' | 'remove'>
  outbox: Pick<Outbox, 'editKeyboard'>
  texts: Texts
}

/** Carries out what the buttons of cards say. */
export function createPressCard(deps: PressCardDeps) {
  const { store, settings, prepare, creation, orderWith, prices, rules } = deps
  const { messages, outbox, texts } = deps
  return { press }

  /** Safe to repeat: a card makes one order, however often it is tapped. */
  async function press(pressed: CardPress): Promise<void> {
    const { cardId, presser, notify } = pressed
    const { confirmFromMicroRub } = await rules.read()
    await prices.ready()
    const asker = { userId: presser.id, originKey: cardOrigin(cardId) }
    const isSecond = await creation.hasJustOrdered(asker)
    const sound = {
      options: await settings.read(presser.id, 'sound'),
      prices: labelPrices('sound', prices),
    }
    const facts = { sound, confirmFromMicroRub, isSecond }
    const found = await store.change(cardId, (card) => judge(card, pressed, facts))
    if (found === undefined) return notify(texts.t(presser.languageCode, 'button-stale'))
    const { card, decision } = found
    await notify(noticeOf(decision, card, presser))
    await carryOut(decision, card, pressed)
  }

  function judge(
    card: Card,
    { chatId, messageId, data, presser }: CardPress,
    facts: Omit<PressFacts, 'prices'>,
  ): Decision {
    // A client can send what stands below no message, or below another one.
    const isItsMessage = (card.cardMessageId ?? messageId) === messageId
    if (card.chatId !== chatId || !isItsMessage) return { type: 'foreign' }
    if (!mayUseCard(card, presser)) return { type: 'not_yours' }
    if (card.isOld) return { type: 'old' }
    const action = readCardAction(data, card.kind)
    if (action === undefined) return { type: 'stale' }
    return judgePress(card, action, { ...facts, prices: labelPrices(card.kind, prices) })
  }

  async function carryOut(decision: Decision, card: Card, pressed: CardPress): Promise<void> {
    const { chatId, messageId } = pressed
    const target = { chatId, messageId }
    switch (decision.type) {
      case 'chosen':
        return keepNewest(card, target)
      case 'asked':
        return messages.change(
          target,
          viewOf(card, texts, doubtNotice(decision.doubt, card, texts)),
        )
      case 'ask_model':
        await messages.remove(target)
        return pressed.askModel(card)
      case 'dropped':
        return messages.change(target, viewOf(card, texts))
      case 'stale':
        // An earlier look of the card. Of a question its row does not hold the words.
        if (card.state === 'choice') return
        return messages.change(target, viewOf(card, texts))
      case 'order': {
        const isOrdered = decision.change === undefined && (await store.hasOrder(card.id))
        if (isOrdered) return
        const prepared = await prepare({ ...card, user: pressed.presser })
        if (prepared.status === 'refused') {
          return messages.change(target, {
            text: refusalText(card.kind, prepared, { ...card.user, texts }),
          })
        }
        return orderWith({ ...card, cardMessageId: messageId }, prepared.imageUrl)
      }
      case 'old':
        return void (await outbox.editKeyboard(target))
      case 'no_pair':
      case 'not_offered':
      case 'not_yours':
      case 'foreign':
        return
    }
  }

  async function keepNewest(card: Card, target: MessageRef): Promise<void> {
    let shown: CardView | undefined
    let newest: Card | undefined = card
    // Once it has its words it shows something else.
    while (newest?.state === 'words' && !isDeepStrictEqual(viewOf(newest, texts), shown)) {
      shown = viewOf(newest, texts)
      await settings.save(newest.user.id, newest.kind, newest.options)
      await messages.change(target, shown)
      newest = await store.find(card.id)
    }
  }

  function noticeOf(decision: Decision, card: Card, { languageCode }: Sender): string | undefined {
    const { kind } = card
    const reader = { languageCode, texts }
    switch (decision.type) {
      case 'chosen':
      case 'asked':
      case 'dropped':
      case 'ask_model':
        return undefined
      case 'order':
        return decision.change ? undefined : texts.t(languageCode, 'card-ordered-already')
      case 'no_pair': {
        const { tapped, value, other } = decision
        const chosen = optionText(other, card.options, reader)
        return texts.t(languageCode, 'card-no-pair', {
          tapped: optionText(tapped, value, reader),
          chosen,
        })
      }
      case 'not_yours':
        return texts.t(languageCode, 'card-not-yours', { kind })
      case 'old':
        return texts.t(languageCode, 'card-old', { kind })
      case 'not_offered':
        return texts.t(languageCode, 'media-not-offered', { kind })
      case 'foreign':
      case 'stale':
        return texts.t(languageCode, 'button-stale')
    }
  }
}
