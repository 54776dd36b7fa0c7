import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { formatMoney } from '../spend/format.ts'
import type { Texts } from '../texts/texts.ts'
import {
  CATALOG,
  exists,
  labelOf,
  type MediaOptions,
  type OptionName,
  optionNames,
  shownValues,
} from './catalog.ts'
import type { Card } from './drafts.ts'
import { optionText, priceText, type Reader, summaryText } from './option-texts.ts'

/** With prices, more buttons do not fit the screen of a phone. */
const BUTTONS_IN_ROW = 2

/** The form of a card button's `callback_data`: `card:12:set:duration=5`, `card:12:order`. */
export const CARD_DATA = /^card:(\d{1,15}):(set|order|drop)(?::([\w:=]+))?$/

export interface CardView {
  text: string
  keyboard?: InlineKeyboardMarkup
}

/** The price of a choice as the card shows it: null if it is not known, undefined if it cannot be ordered. */
export function shownPrice(
  { kind, shownPrices }: Pick<Card, 'kind' | 'shownPrices'>,
  options: MediaOptions,
): bigint | null | undefined {
  const price = shownPrices[labelOf(kind, options)]
  return typeof price === 'string' ? BigInt(price) : price
}

/** @param notice The reason of the question, shown first. */
export function viewOf(card: Card, texts: Texts, notice?: string): CardView {
  const { kind, options, picture, prompt } = card
  const reader = { languageCode: card.user.languageCode, texts }
  const key = prompt === undefined ? 'card-words' : 'card-confirmation'
  const text = texts.t(reader.languageCode, key, {
    kind,
    summary: summaryText({ kind, options, hasPicture: picture !== undefined }, reader),
    price: priceText(shownPrice(card, options) ?? null, reader),
    motion: String(picture !== undefined),
  })
  const shown = notice === undefined ? text : `${notice}\n\n${text}`
  const last = prompt === undefined ? [] : orderRows(card, reader)
  return { text: shown, keyboard: { inline_keyboard: [...optionRows(card, reader), ...last] } }
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
  const callback_data = `card:${card.id}:set:${name}=${value[name]}`
  // A tap on it is answered with the reason.
  const canBeHad = exists(card.kind, all) && shownPrice(card, all) !== undefined
  if (!canBeHad) return { text: `✕ ${text}`, callback_data }
  if (card.options[name] === value[name]) return { text: `✓ ${text}`, callback_data }
  return { text: `${text}${priceStep(card, all, reader)}`, callback_data }
}

function priceStep(card: Card, others: MediaOptions, { languageCode }: Reader): string {
  const [now, then] = [card.options, others].map((options) => shownPrice(card, options))
  if (now == null || then == null || now === then) return ''
  return then < now
    ? ` −${formatMoney(now - then, languageCode)}`
    : ` +${formatMoney(then - now, languageCode)}`
}

function orderRows(card: Card, { languageCode, texts }: Reader): InlineKeyboardButton[][] {
  const price = shownPrice(card, card.options) ?? null
  const order =
    price === null
      ? texts.t(languageCode, 'card-order-unknown')
      : texts.t(languageCode, 'card-order', { price: formatMoney(price, languageCode) })
  return [
    [{ text: order, callback_data: `card:${card.id}:order`, style: 'success' }],
    [{ text: texts.t(languageCode, 'card-drop'), callback_data: `card:${card.id}:drop` }],
  ]
}
