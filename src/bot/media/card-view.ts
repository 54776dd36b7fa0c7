import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { LimitRefusal } from '../spend/limits.ts'
import type { Texts } from '../texts/texts.ts'
import {
  CATALOG,
  exists,
  labelOf,
  labelsOf,
  type MediaOptions,
  type OptionName,
  optionNames,
  shownValues,
} from './catalog.ts'
import type { Card } from './drafts.ts'
import { optionText, type Reader, summaryText } from './option-texts.ts'
import { priceText } from './texts.ts'

/** With prices, more buttons do not fit the screen of a phone. */
const BUTTONS_IN_ROW = 2

/** The form of a card button's `callback_data`: `card:12:set:duration=5`, `card:12:take:0`. */
export const CARD_DATA = /^card:(\d{1,15}):(set|take|literal|order|drop|ask|sound)(?::([\w:=]+))?$/

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

/**
 * Draws a card, at the prices that it keeps.
 *
 * @param notice The reason of the question, shown first.
 */
export function viewOf(card: Card, texts: Texts, notice?: string): CardView {
  const { kind, options, picture, looseWords } = card
  const reader = { languageCode: card.user.languageCode, texts }
  const isDropped = card.state === 'dropped'
  const text = texts.t(reader.languageCode, isDropped ? 'card-dropped' : `card-${card.asks}`, {
    kind,
    summary: summaryOf(card, options, reader),
    price: priceIn(card, options, reader),
    motion: String(picture !== undefined),
    isLoose: String(looseWords !== undefined),
  })
  if (isDropped) return { text }
  const shown = notice === undefined ? text : `${notice}\n\n${text}`
  return { text: shown, keyboard: { inline_keyboard: rowsOf(card, reader) } }
}

/** Draws a card that a limit refused: its user can order again, or ask for a higher limit. */
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

function rowsOf(card: Card, reader: Reader): InlineKeyboardButton[][] {
  switch (card.asks) {
    case 'words':
      return [...optionRows(card, reader), ...soundRows(card, reader)]
    case 'choice':
      return [...choiceButtons(card, reader), otherwiseButton(card, reader)].map((one) => [one])
    case 'confirmation':
      return [[orderButton(card, reader)], [otherwiseButton(card, reader)]]
  }
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

function soundRows({ id, kind, shownPrices }: Card, reader: Reader): InlineKeyboardButton[][] {
  const hasSounds = labelsOf('sound').some(({ label }) => label in shownPrices)
  if (kind !== 'image' || !hasSounds) return []
  const text = reader.texts.t(reader.languageCode, 'card-sound')
  return [[{ text, callback_data: `card:${id}:sound` }]]
}

/** The choices, each with its price. */
function choiceButtons(card: Card, reader: Reader): InlineKeyboardButton[] {
  const { id, choices = [], literalPrompt } = card
  const buttons = choices.flatMap((choice, index): InlineKeyboardButton[] => {
    const all = { ...card.options, ...choice }
    if (shownPrice(card, all) === undefined) return []
    const text = `${summaryOf(card, all, reader)} — ${priceIn(card, all, reader)}`
    return [{ text, callback_data: `card:${id}:take:${index}` }]
  })
  if (literalPrompt === undefined) return buttons
  const text = reader.texts.t(reader.languageCode, 'card-literal')
  return [...buttons, { text, callback_data: `card:${id}:literal` }]
}

function orderButton(card: Card, reader: Reader): InlineKeyboardButton {
  const { languageCode, texts } = reader
  const price = shownPrice(card, card.options) ?? null
  const text =
    price === null
      ? texts.t(languageCode, 'card-order-unknown')
      : texts.t(languageCode, 'card-order', { price: priceText(price, reader) })
  return { text, callback_data: `card:${card.id}:order`, style: 'success' }
}

function otherwiseButton({ id, looseWords }: Card, reader: Reader): InlineKeyboardButton {
  const { languageCode, texts } = reader
  return looseWords === undefined
    ? { text: texts.t(languageCode, 'card-drop'), callback_data: `card:${id}:drop` }
    : { text: texts.t(languageCode, 'card-ask-model'), callback_data: `card:${id}:ask` }
}

function summaryOf({ kind, picture }: Card, options: MediaOptions, reader: Reader): string {
  return summaryText({ kind, options, hasPicture: picture !== undefined }, reader)
}

function priceIn(card: Card, options: MediaOptions, reader: Reader): string {
  return priceText(shownPrice(card, options) ?? null, reader)
}
