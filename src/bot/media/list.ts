/** The list of a user's orders: all of theirs in a private chat, in a group the orders of that chat. */
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { markInstant } from '../texts/dates.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import { priceText } from './option-texts.ts'
import type { OrdersApp } from './orders-app.ts'
import { cancelKeyboard } from './status.ts'
import { failureText, mediaOf, summaryOf } from './texts.ts'

/** The user of the list, the page, and the opened order. */
export const PAGE_DATA = /^orders:page:(-?\d{1,15}):(\d{1,6})$/
export const OPEN_DATA = /^orders:open:(-?\d{1,15}):(\d{1,6}):(\d{1,18})$/
/** The data of Send again: the order. */
export const SEND_DATA = /^order:send:(\d{1,18})$/

const PAGE_SIZE = 10
const LINE_CHARS_MAX = 60
const PROMPT_CHARS_MAX = 1_000
const BUTTONS_IN_ROW = 5

const ORDERED = { state: { notIn: ['draft', 'dropped'] } } satisfies Prisma.OrderWhereInput

const WITH_COST = {
  user: { select: { language: true, languageCode: true } },
  charges: { select: { amountMicroRub: true } },
} as const

/** An order as its user reads it back. */
type ListedOrder = Prisma.OrderGetPayload<{ include: typeof WITH_COST }>

/** The reader of a list, and the chat. */
export interface ListReader {
  userId: number
  chatId: number
}

export interface ListApp extends Pick<OrdersApp, 'prisma' | 'texts' | 'againButtons'> {
  timeZone: string
}

interface View {
  text: string
  keyboard: InlineKeyboardMarkup
}

/** Draws a page, newest first. @returns Undefined if it is empty. */
export async function viewPage(
  app: ListApp,
  reader: ListReader & { languageCode?: string | undefined },
  index: number,
): Promise<View | undefined> {
  const { userId, languageCode } = reader
  const rows = await app.prisma.order.findMany({
    where: whereOf(reader),
    include: WITH_COST,
    orderBy: { id: 'desc' },
    skip: index * PAGE_SIZE,
    take: PAGE_SIZE + 1,
  })
  const orders = rows.slice(0, PAGE_SIZE)
  if (orders.length === 0) return undefined
  const t: Translate = (...text) => app.texts.t(languageCode, ...text)
  const lines = orders.map((order, offset) => {
    const words = shortenLine(mediaOf(order).request.prompt, LINE_CHARS_MAX)
    return t('orders-line', { number: offset + 1, words, ...factsOf(app, order, languageCode) })
  })
  const opens = orders.map(({ id }, offset) => ({
    text: String(offset + 1),
    callback_data: `orders:open:${userId}:${index}:${id}`,
  }))
  const turn = (key: string, page: number) => ({
    text: t(key),
    callback_data: `orders:page:${userId}:${page}`,
  })
  const turns = [
    ...(index > 0 ? [turn('page-previous', index - 1)] : []),
    ...(rows.length > PAGE_SIZE ? [turn('page-next', index + 1)] : []),
  ]
  const keyboard = [opens.slice(0, BUTTONS_IN_ROW), opens.slice(BUTTONS_IN_ROW), turns]
  return {
    text: [t('orders-title'), ...lines].join('\n\n'),
    keyboard: { inline_keyboard: keyboard.filter(isFilled) },
  }
}

/** Draws one order of a page. @returns Undefined if the list has no such order. */
export async function viewOrder(
  app: ListApp,
  reader: ListReader & { languageCode?: string | undefined },
  { id, index }: { id: bigint; index: number },
): Promise<View | undefined> {
  const { texts, timeZone } = app
  const { userId, languageCode } = reader
  const order = await findListed(app.prisma, reader, id)
  if (order === undefined) return undefined
  const t: Translate = (...text) => texts.t(languageCode, ...text)
  const at = markInstant(order.createdAt, { languageCode, timeZone })
  const words = shorten(mediaOf(order).request.prompt.trim(), PROMPT_CHARS_MAX)
  const why = order.state === 'failed' ? [failureText(order, texts)] : []
  const head = t('orders-one', { ...factsOf(app, order, languageCode), at })
  const send = { text: t('button-send-again'), callback_data: `order:send:${id}` }
  const back = { text: t('button-orders'), callback_data: `orders:page:${userId}:${index}` }
  const sends = order.state === 'delivered' ? [send] : []
  return {
    text: [head, words, ...why].join('\n\n'),
    keyboard: { inline_keyboard: [sends, ...rowsBelow(app, order), [back]].filter(isFilled) },
  }
}

/** Finds an order of a list. */
export async function findListed(
  prisma: PrismaClient,
  reader: ListReader,
  id: bigint,
): Promise<ListedOrder | undefined> {
  const where = { ...whereOf(reader), id }
  return (await prisma.order.findFirst({ where, include: WITH_COST })) ?? undefined
}

/** Finds an order that a user or a chat has seen. */
export async function findSeen(
  prisma: PrismaClient,
  { userId, chatId }: ListReader,
  id: bigint,
): Promise<ListedOrder | undefined> {
  const where = { ...ORDERED, id, OR: [{ userId }, { chatId }] }
  return (await prisma.order.findFirst({ where, include: WITH_COST })) ?? undefined
}

type Translate = (key: string, variables?: Record<string, string | number>) => string

/** All members of a group read its list. */
function whereOf({ userId, chatId }: ListReader): Prisma.OrderWhereInput {
  return { ...ORDERED, userId, ...(chatId < 0 && { chatId }) }
}

function rowsBelow(app: ListApp, order: ListedOrder): InlineKeyboardButton[][] {
  switch (order.state) {
    case 'delivered':
      return app.againButtons.belowResult(order).inline_keyboard
    case 'failed':
    case 'cancelled':
      return app.againButtons.belowFailure(order).inline_keyboard
    default:
      return cancelKeyboard(order, app.texts)?.inline_keyboard ?? []
  }
}

function factsOf({ texts }: ListApp, order: ListedOrder, languageCode: string | undefined) {
  const { state, endedAt, priceMicroRub, charges } = order
  const cost = charges.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
  const isUnknown = priceMicroRub === null && (endedAt === null || state === 'delivered')
  const isFree = endedAt !== null && cost === 0n && !isUnknown
  const money = endedAt === null ? priceMicroRub : cost
  const price = isFree
    ? texts.t(languageCode, 'orders-free')
    : priceText(isUnknown ? null : money, { languageCode, texts })
  return { summary: summaryOf(order, texts), state, price }
}

function isFilled(row: readonly unknown[]): boolean {
  return row.length > 0
}
