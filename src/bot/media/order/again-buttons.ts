import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { Texts } from '../../locales/texts.ts'
import { languageOf } from '../../people/users.ts'
import { formatMoney } from '../../spend/format.ts'
import { labelOf } from '../catalog.ts'
import type { Order } from './order-store.ts'
import type { MediaPrices } from './prices.ts'
import { choiceOf, VARIANTS, type Variant, type VariantChoice } from './variants.ts'

/**
 * A press's data: the variant, the order, the price that stands on the button, in micro-roubles, and
 * whether it says yes to that price.
 */
export const AGAIN_DATA = new RegExp(
  `^order:(${VARIANTS.join('|')}):(\\d{1,18}):(\\d{1,15})?(:yes)?$`,
)

/** Reads the data of a press. @throws {TypeError} If it does not look like `AGAIN_DATA`. */
export function readAgainData(data: string) {
  const [, name, orderId, price, yes] = AGAIN_DATA.exec(data) ?? []
  const variant = VARIANTS.find((known) => known === name)
  if (variant === undefined || orderId === undefined) throw new TypeError('Cannot read button')
  const shownMicroRub = price === undefined ? undefined : BigInt(price)
  return { variant, orderId: BigInt(orderId), shownMicroRub, isConfirmed: yes !== undefined }
}

/** The rows of what is ordered after a result: with its price, the word for a shape is too wide for half of a phone. */
const ROWS: readonly (readonly Variant[])[] = [['again', 'length', 'animate'], ['shape']]

/** An order and who reads its buttons. */
export type ButtonedOrder = Pick<Order, 'id' | 'kind' | 'params' | 'deliveredFiles' | 'user'>

/** A price that a user is to say yes to; null where it is not known. */
export interface QuestionedPrice {
  variant: Variant
  price: bigint | null
  languageCode: string | undefined
}

/** The buttons with which the same, or almost the same, is ordered after an order; each with its price. */
export function createAgainButtons({
  prices,
  texts,
}: {
  prices: Pick<MediaPrices, 'priceOf' | 'isOffered'>
  texts: Texts
}) {
  return { belowResult, belowFailure, belowQuestion }

  function belowResult(order: ButtonedOrder): InlineKeyboardMarkup {
    return { inline_keyboard: rowsOf(order, ROWS) }
  }

  function belowFailure(order: ButtonedOrder): InlineKeyboardMarkup {
    return { inline_keyboard: rowsOf(order, [['again']]) }
  }

  function belowQuestion(
    { id }: Pick<Order, 'id'>,
    { variant, price, languageCode }: QuestionedPrice,
  ): InlineKeyboardMarkup {
    const text =
      price === null
        ? texts.t(languageCode, 'card-order-unknown')
        : texts.t(languageCode, 'card-order', { price: formatMoney(price, languageCode) })
    const data = `order:${variant}:${id}:${price ?? ''}:yes`
    return { inline_keyboard: [[{ text, callback_data: data, style: 'success' }]] }
  }

  function rowsOf(order: ButtonedOrder, rows: typeof ROWS): InlineKeyboardButton[][] {
    return rows
      .map((variants) => variants.flatMap((variant) => buttonOf(order, variant) ?? []))
      .filter((buttons) => buttons.length > 0)
  }

  function buttonOf(order: ButtonedOrder, variant: Variant): InlineKeyboardButton | undefined {
    const choice = choiceOf(order, variant)
    if (choice === undefined) return undefined
    const { kind, options } = choice
    const languageCode = languageOf(order.user)
    const label = labelOf(kind, options)
    if (!prices.isOffered(label)) return undefined
    const price = prices.priceOf(label)
    const name = nameOf(variant, choice, (key, variables) => texts.t(languageCode, key, variables))
    const text = price === undefined ? name : `${name} · ${formatMoney(price, languageCode)}`
    return { text, callback_data: `order:${variant}:${order.id}:${price ?? ''}` }
  }
}

export type AgainButtons = ReturnType<typeof createAgainButtons>

function nameOf(
  variant: Variant,
  { options }: VariantChoice,
  t: (key: string, variables?: Record<string, string | number>) => string,
): string {
  switch (variant) {
    case 'again':
      return t('button-again')
    case 'shape':
      return t(options.shape === '9:16' ? 'button-vertical' : 'button-horizontal')
    case 'length':
      return t('button-length', { seconds: options.duration ?? 0 })
    case 'animate':
      return t('button-animate')
  }
}
