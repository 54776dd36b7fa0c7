import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { Texts } from '../../locales/texts.ts'
import { formatMoney } from '../../spend/format.ts'
import type { LimitRefusal } from '../../spend/limits/limit-refusal.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import {
  CATALOG,
  exists,
  labelOf,
  labelsOf,
  type MediaOptions,
  type OptionName,
  optionNames,
  shownValues,
} from '../catalog.ts'
import { optionText, type Reader, summaryText } from '../option-texts.ts'
import { priceText } from '../order/price-text.ts'
import { toCardData } from './card-data.ts'
import type { Doubt } from './card-prices.ts'
import type { Card } from './card-store.ts'

/** More of them, with their prices, do not fit the screen of a phone. */
const BUTTONS_IN_ROW = 2

export interface CardView {
  text: string
  keyboard?: InlineKeyboardMarkup
}

/**
 * Draws a card, at the prices that it keeps.
 *
 * @param notice Stands first: why the card asks.
 * @throws {TypeError} If it was ordered with: its message shows the order.
 */
export function viewOf(card: Card, texts: Texts, notice?: string): CardView {
  const { kind, options, picture } = card
  const reader = { languageCode: card.user.languageCode, texts }
  const text = texts.t(reader.languageCode, `card-${card.state}`, {
    kind,
    summary: summaryOf(card, options, reader),
    price: priceIn(card, options, reader),
    motion: String(picture !== undefined),
    isLoose: String(card.looseWords !== null),
  })
  const shown = notice === undefined ? text : `${notice}\n\n${text}`
  switch (card.state) {
    case 'words':
      return {
        text: shown,
        keyboard: { inline_keyboard: [...optionRows(card, reader), ...soundRows(card, reader)] },
      }
    case 'confirmation':
      return { text: shown, keyboard: { inline_keyboard: confirmationRows(card, reader) } }
    case 'choice':
    case 'dropped':
      return { text: shown }
    case 'ordered':
      throw new TypeError(`Cannot draw card ${card.id}: it was ordered with`)
  }
}

/** Says why an order is confirmed first, where its price does not say it. */
export function doubtNotice(doubt: Doubt, { user }: Pick<Card, 'user'>, texts: Texts) {
  switch (doubt) {
    case 'new_price':
      return texts.t(user.languageCode, 'card-price-changed')
    case 'second_order':
      return texts.t(user.languageCode, 'card-second')
    case 'high_price':
      return undefined
  }
}

/** Draws a card that a limit kept from being ordered: it can be ordered as before, and more be asked for. */
export function limitedView(
  card: Card,
  refusal: LimitRefusal,
  { texts, limitTexts }: { texts: Texts; limitTexts: LimitTexts },
): CardView {
  const { languageCode } = card.user
  const { text, keyboard } = viewOf(card, texts, limitTexts.refusal(refusal, languageCode))
  const ask = limitTexts.askButton(refusal, languageCode)
  return { text, keyboard: { inline_keyboard: [...(keyboard?.inline_keyboard ?? []), [ask]] } }
}

/** The buttons below a question: what exists instead, each with its price. */
export function choiceKeyboard(
  card: Card,
  choices: readonly MediaOptions[],
  texts: Texts,
): InlineKeyboardMarkup {
  const { id, kind, literalPrompt, user } = card
  const reader = { languageCode: user.languageCode, texts }
  const offered = choices.filter((choice) =>
    card.shownPrices.has(labelOf(kind, { ...card.options, ...choice })),
  )
  const buttons = offered.map((options): InlineKeyboardButton => {
    const all = { ...card.options, ...options }
    const text = `${summaryOf(card, all, reader)} — ${priceIn(card, all, reader)}`
    return { text, callback_data: toCardData(id, { type: 'take', options }) }
  })
  const literal: InlineKeyboardButton = {
    text: texts.t(user.languageCode, 'card-literal'),
    callback_data: toCardData(id, { type: 'literal' }),
  }
  const others = [...(literalPrompt === null ? [] : [literal]), otherwiseButton(card, reader)]
  return { inline_keyboard: [...buttons, ...others].map((button) => [button]) }
}

function optionRows(card: Card, reader: Reader): InlineKeyboardButton[][] {
  const names = optionNames(card.kind, { hasPicture: card.picture !== undefined })
  return names.flatMap((name) => {
    const buttons = valuesOf(card, name).map((value) => optionButton(card, name, value, reader))
    const rows = Math.ceil(buttons.length / BUTTONS_IN_ROW)
    return Array.from({ length: rows }, (_, row) =>
      buttons.slice(row * BUTTONS_IN_ROW, (row + 1) * BUTTONS_IN_ROW),
    )
  })
}

function soundRows({ id, kind, shownPrices }: Card, reader: Reader): InlineKeyboardButton[][] {
  const hasSounds = labelsOf('sound').some(({ label }) => shownPrices.has(label))
  if (kind !== 'image' || !hasSounds) return []
  const text = reader.texts.t(reader.languageCode, 'card-sound')
  return [[{ text, callback_data: toCardData(id, { type: 'sound' }) }]]
}

function valuesOf({ kind, options }: Card, name: OptionName): MediaOptions[] {
  const all: readonly unknown[] = CATALOG[kind].values[name] ?? []
  const shown: readonly unknown[] = shownValues(kind, name)
  const values = all.filter((value) => shown.includes(value) || value === options[name])
  return values.map((value): MediaOptions => ({ [name]: value }))
}

function optionButton(
  card: Card,
  name: OptionName,
  value: MediaOptions,
  reader: Reader,
): InlineKeyboardButton {
  const all = { ...card.options, ...value }
  const text = optionText(name, value, reader)
  const isChosen = card.options[name] === value[name]
  const callback_data = toCardData(card.id, { type: 'set', options: value })
  // It stays, so that a tap can be answered with why it cannot be chosen.
  const canBeHad = exists(card.kind, all) && card.shownPrices.has(labelOf(card.kind, all))
  if (!canBeHad) return { text: `✕ ${text}`, callback_data }
  if (isChosen) return { text: `✓ ${text}`, callback_data }
  const step = priceStep(card, all, reader)
  return { text: step === '' ? text : `${text} ${step}`, callback_data }
}

function priceStep(
  { kind, options, shownPrices }: Card,
  others: MediaOptions,
  { languageCode }: Reader,
): string {
  const [now, then] = [options, others].map((one) => shownPrices.get(labelOf(kind, one)))
  if (now == null || then == null || now === then) return ''
  return then < now
    ? `−${formatMoney(now - then, languageCode)}`
    : `+${formatMoney(then - now, languageCode)}`
}

function confirmationRows(card: Card, reader: Reader): InlineKeyboardButton[][] {
  const { languageCode, texts } = reader
  const price = card.shownPrices.get(labelOf(card.kind, card.options)) ?? null
  const text =
    price === null
      ? texts.t(languageCode, 'card-order-unknown')
      : texts.t(languageCode, 'card-order', { price: priceText(price, reader) })
  const data = toCardData(card.id, { type: 'order' })
  const order: InlineKeyboardButton = { text, callback_data: data, style: 'success' }
  return [[order], [otherwiseButton(card, reader)]]
}

function otherwiseButton(card: Card, reader: Reader): InlineKeyboardButton {
  if (card.looseWords === null) return dropButton(card, reader)
  const text = reader.texts.t(reader.languageCode, 'card-ask-model')
  return { text, callback_data: toCardData(card.id, { type: 'ask' }) }
}

function dropButton({ id }: Card, { languageCode, texts }: Reader): InlineKeyboardButton {
  const text = texts.t(languageCode, 'card-drop')
  return { text, callback_data: toCardData(id, { type: 'drop' }) }
}

function summaryOf({ kind, picture }: Card, options: MediaOptions, reader: Reader): string {
  return summaryText({ kind, options, hasPicture: picture !== undefined }, reader)
}

function priceIn({ kind, shownPrices }: Card, options: MediaOptions, reader: Reader): string {
  return priceText(shownPrices.get(labelOf(kind, options)) ?? null, reader)
}
