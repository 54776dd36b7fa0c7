import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { markInstant } from '../../locales/dates.ts'
import { shorten, shortenLine } from '../../locales/shorten.ts'
import type { Texts } from '../../locales/texts.ts'
import type { AgainButtons } from './again-buttons.ts'
import type { ListedOrder, OrderPage } from './order-list.ts'
import { cancelKeyboard } from './order-status.ts'
import { failureText, mediaOf, summaryOf } from './order-texts.ts'
import { priceText } from './price-text.ts'

/** A press's data: whose list it is, the page, and the order that is opened. */
export const PAGE_DATA = /^orders:page:(-?\d{1,15}):(\d{1,6})$/
export const OPEN_DATA = /^orders:open:(-?\d{1,15}):(\d{1,6}):(\d{1,18})$/
/** The data of Send again: the order. */
export const SEND_DATA = /^order:send:(\d{1,18})$/

const LINE_CHARS_MAX = 60
const PROMPT_CHARS_MAX = 1_000
const BUTTONS_IN_ROW = 5

export interface ListViewDeps {
  texts: Texts
  timeZone: string
  againButtons: AgainButtons
}

/** The user whose list it is, and the language that they read. */
export interface ListOwner {
  id: number
  languageCode?: string | undefined
}

interface View {
  text: string
  keyboard: InlineKeyboardMarkup
}

/** Draws orders that are read back. */
export function createListView({ texts, timeZone, againButtons }: ListViewDeps) {
  return { pageView, orderView }

  function pageView({ index, orders, hasOlder }: OrderPage, owner: ListOwner): View {
    const t = (key: string) => texts.t(owner.languageCode, key)
    const lines = orders.map((order, offset) => lineOf(order, offset + 1, owner))
    const opens = orders.map(({ id }, offset) => ({
      text: String(offset + 1),
      callback_data: `orders:open:${owner.id}:${index}:${id}`,
    }))
    const turn = (key: string, page: number) => ({
      text: t(key),
      callback_data: `orders:page:${owner.id}:${page}`,
    })
    const turns = [
      ...(index > 0 ? [turn('page-previous', index - 1)] : []),
      ...(hasOlder ? [turn('page-next', index + 1)] : []),
    ]
    const text = [t('orders-title'), ...lines].join('\n\n')
    return { text, keyboard: { inline_keyboard: [...rows(opens), turns].filter(isFilled) } }
  }

  function orderView(
    order: ListedOrder,
    { owner, index }: { owner: ListOwner; index: number },
  ): View {
    const t = (key: string) => texts.t(owner.languageCode, key)
    const { languageCode } = owner
    const facts = {
      ...factsOf(order, owner),
      at: markInstant(order.createdAt, { languageCode, timeZone }),
    }
    const words = shorten(mediaOf(order).request.prompt.trim(), PROMPT_CHARS_MAX)
    const why = order.state === 'failed' ? [failureText(order, texts)] : []
    const text = [texts.t(languageCode, 'orders-one', facts), words, ...why].join('\n\n')
    const send = { text: t('button-send-again'), callback_data: `order:send:${order.id}` }
    const back = { text: t('button-orders'), callback_data: `orders:page:${owner.id}:${index}` }
    const buttons = [order.state === 'delivered' ? [send] : [], ...belowOrder(order), [back]]
    return { text, keyboard: { inline_keyboard: buttons.filter(isFilled) } }
  }

  function belowOrder(order: ListedOrder): InlineKeyboardButton[][] {
    switch (order.state) {
      case 'delivered':
        return againButtons.belowResult(order).inline_keyboard
      case 'failed':
      case 'cancelled':
        return againButtons.belowFailure(order).inline_keyboard
      default:
        return cancelKeyboard(order, texts)?.inline_keyboard ?? []
    }
  }

  function lineOf(order: ListedOrder, number: number, owner: ListOwner): string {
    const words = shortenLine(mediaOf(order).request.prompt, LINE_CHARS_MAX)
    return texts.t(owner.languageCode, 'orders-line', { number, words, ...factsOf(order, owner) })
  }

  function factsOf(order: ListedOrder, { languageCode }: ListOwner) {
    const { state, endedAt, priceMicroRub, charges } = order
    const cost = charges.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
    const money = endedAt === null ? (priceMicroRub ?? 0n) : cost
    const isUnknown = priceMicroRub === null && (endedAt === null || state === 'delivered')
    const isFree = endedAt !== null && cost === 0n && !isUnknown
    const price = isUnknown ? null : money
    return {
      summary: summaryOf(order, texts),
      state,
      price: isFree
        ? texts.t(languageCode, 'orders-free')
        : priceText(price, { languageCode, texts }),
    }
  }
}

function rows(buttons: readonly InlineKeyboardButton[]): InlineKeyboardButton[][] {
  return Array.from({ length: Math.ceil(buttons.length / BUTTONS_IN_ROW) }, (_, row) =>
    buttons.slice(row * BUTTONS_IN_ROW, (row + 1) * BUTTONS_IN_ROW),
  )
}

function isFilled(row: readonly unknown[]): boolean {
  return row.length > 0
}
