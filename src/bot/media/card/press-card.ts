import { isDeepStrictEqual } from 'node:util'
import type { Texts } from '../../locales/texts.ts'
import type { LimitRefusal } from '../../spend/limits/limit-refusal.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Sender } from '../../telegram/addressing/sender.ts'
import type { MessageRef, Outbox } from '../../telegram/outbox/outbox.ts'
import { optionText } from '../options/option-texts.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import { readCardAction } from './card-data.ts'
import type { CardMessages } from './card-messages.ts'
import { labelPrices } from './card-prices.ts'
import { type Card, type CardStore, cardOrigin } from './card-store.ts'
import { type CardView, limitedView, viewOf } from './card-view.ts'
import { judgePress, mayUseCard, type PressDecision } from './judge-press.ts'
import type { MediaSettings } from './media-settings.ts'
import type { OrderCreation } from './order-creation.ts'
import type { PrepareOrder } from './prepare-order.ts'
import { refusalText } from './refusal-text.ts'

/** A press of a card's button, by any user who sees it. */
export interface CardPress extends MessageRef {
  cardId: bigint
  data: string
  presser: Sender
  /** Ends the button's waiting state, with a short text if there is one. */
  notify(text?: string): Promise<void>
}

/** `foreign`: the button stands below no such card. `not_yours`: the card is another user's. */
type Decision = PressDecision | { type: 'foreign' | 'not_yours' | 'old'; change?: undefined }

export interface PressCardDeps {
  store: Pick<CardStore, 'change' | 'find' | 'hasOrder'>
  settings: Pick<MediaSettings, 'save'>
  prepare: PrepareOrder
  creation: Pick<OrderCreation, 'create'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered'>
  rules: Pick<MediaRules, 'read'>
  messages: Pick<CardMessages, 'change'>
  outbox: Pick<Outbox, 'editKeyboard'>
  limitTexts: LimitTexts
  texts: Texts
}

/** Carries out what the buttons of cards say. */
export function createPressCard(deps: PressCardDeps) {
  const { store, settings, prepare, creation, prices, rules, messages, outbox, texts } = deps
  return { press }

  /** Safe to repeat: a card makes one order, however often it is tapped. */
  async function press(pressed: CardPress): Promise<void> {
    const { cardId, presser, notify } = pressed
    const { confirmAboveMicroRub } = await rules.read()
    await prices.ready()
    const found = await store.change(cardId, (card) => judge(card, pressed, confirmAboveMicroRub))
    if (found === undefined) return notify(texts.t(presser.languageCode, 'button-stale'))
    const { card, decision } = found
    await notify(noticeOf(decision, card, presser))
    await carryOut(decision, card, pressed)
  }

  function judge(
    card: Card,
    { chatId, messageId, data, presser }: CardPress,
    confirmAboveMicroRub: bigint,
  ): Decision {
    // A client can send what stands below no message, or below another one.
    const isItsMessage = (card.cardMessageId ?? messageId) === messageId
    if (card.chatId !== chatId || !isItsMessage) return { type: 'foreign' }
    if (!mayUseCard(card, presser)) return { type: 'not_yours' }
    if (card.isOld) return { type: 'old' }
    const action = readCardAction(data, card.kind)
    if (action === undefined) return { type: 'stale' }
    return judgePress(card, action, {
      prices: labelPrices(card.kind, prices),
      confirmAboveMicroRub,
    })
  }

  async function carryOut(decision: Decision, card: Card, pressed: CardPress): Promise<void> {
    const { chatId, messageId } = pressed
    const target = { chatId, messageId }
    const t = (key: string) => texts.t(card.user.languageCode, key, { kind: card.kind })
    switch (decision.type) {
      case 'chosen':
        return keepNewest(card, target)
      case 'asked': {
        const notice = decision.isPriceNew ? t('card-price-changed') : undefined
        return messages.change(target, viewOf(card, texts, notice))
      }
      case 'dropped':
        return messages.change(target, viewOf(card, texts))
      case 'stale':
        // An earlier look of the card. Of a question its row does not hold the words.
        if (card.state === 'choice') return
        return messages.change(target, viewOf(card, texts))
      case 'order': {
        const isOrdered = decision.change === undefined && (await store.hasOrder(card.id))
        if (isOrdered) return messages.change(target, viewOf(card, texts))
        const prepared = await prepare(card)
        if (prepared.status === 'refused') {
          return messages.change(target, {
            text: refusalText(card.kind, prepared, { ...card.user, texts }),
          })
        }
        const outcome = await creation.create({
          ...card,
          // A card that is ordered with has its words.
          prompt: card.prompt ?? '',
          imageUrl: prepared.imageUrl,
          originKey: cardOrigin(card.id),
        })
        if (outcome.status === 'refused') return reopen(card, outcome.refusal, target)
        return messages.change(target, viewOf(card, texts))
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

  /** A limit left no room for the order: the card can be ordered with again. */
  async function reopen(card: Card, refusal: LimitRefusal, target: MessageRef): Promise<void> {
    const change = { state: 'confirmation' } as const
    const found = await store.change(card.id, () => ({ type: 'reopened', change }))
    if (found === undefined) return
    await messages.change(target, limitedView(found.card, refusal, deps))
  }

  /** Keeps and shows in the end what two taps at once, also in two processes, chose together. */
  async function keepNewest(card: Card, target: MessageRef): Promise<void> {
    let shown: CardView | undefined
    let newest: Card | undefined = card
    while (newest !== undefined && !isDeepStrictEqual(viewOf(newest, texts), shown)) {
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
