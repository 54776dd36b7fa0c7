/** `/video`, `/image` and `/sound`, and `/orders`: in a private chat all orders of a user, in a group those of the chat. */
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { AGAIN_DATA, ORDERED, pressAgain } from '../media/again.ts'
import { type CardsApp, takeWords } from '../media/draft-card.ts'
import { offerVariables, priceText } from '../media/option-texts.ts'
import type { Orders } from '../media/orders.ts'
import { ORDER_RELATIONS, type OrdersApp as OrderParts } from '../media/orders-app.ts'
import { CANCEL_DATA, cancelKeyboard } from '../media/status.ts'
import { failureText, mediaOf, summaryOf } from '../media/texts.ts'
import { markInstant } from '../texts/dates.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import type { Command, CommandDefinition, CommandFacts, Press } from './command.ts'

interface OrdersApp extends CardsApp, Pick<OrderParts, 'againButtons'> {
  orders: CardsApp['orders'] & Pick<Orders, 'cancel' | 'sendAgain'>
  timeZone: string
}

type Reader = Pick<Command, 'user' | 'chatId' | 't'>

interface View {
  text: string
  keyboard: InlineKeyboardMarkup
}

const PAGE_SIZE = 10
const LINE_CHARS_MAX = 60
const PROMPT_CHARS_MAX = 1_000
const BUTTONS_IN_ROW = 5

const PAGE_DATA = /^orders:page:(-?\d{1,15}):(\d{1,6})$/
const OPEN_DATA = /^orders:open:(-?\d{1,15}):(\d{1,6}):(\d{1,18})$/
const SEND_DATA = /^order:send:(\d{1,18})$/

const CANCEL_NOTICES = {
  cancelled: 'cancel-done',
  too_late: 'cancel-too-late',
  not_yours: 'turn-not-yours',
  gone: 'button-stale',
} as const

const WITH_COST = { ...ORDER_RELATIONS, charges: { select: { amountMicroRub: true } } } as const
type ListedOrder = Prisma.OrderGetPayload<{ include: typeof WITH_COST }>

export const videoCommand = orderCommand({ name: 'video', listed: 'everywhere' })

export const imageCommand = orderCommand({ name: 'image', listed: 'everywhere' })

export const soundCommand = orderCommand({ name: 'sound', listed: 'everywhere' })

/** Lists a user's orders, ten on a page, each with a button that opens it. */
export const ordersCommand: CommandDefinition<OrdersApp> = {
  name: 'orders',
  audience: 'everybody',
  about: MEDIA_KINDS,
  async handle(app, command) {
    const { user, t, answer } = command
    const page = await viewPage(app, command, 0)
    if (page !== undefined) return answer(page.text, page)
    await answer(t('orders-none', offerVariables(app.prices.kinds(), { ...user, ...app })))
  },
  presses: [
    { data: PAGE_DATA, press: turn((app, press, page) => viewPage(app, press, page)) },
    { data: OPEN_DATA, press: turn((app, press, page, id) => viewOrder(app, press, page, id)) },
    { data: SEND_DATA, press: sendAgain },
    { data: CANCEL_DATA, press: cancel },
    { data: AGAIN_DATA, press: pressAgain },
  ],
}

function orderCommand({
  name,
  ...listing
}: {
  name: MediaKind
} & Pick<CommandFacts, 'listed'>): CommandDefinition<CardsApp> {
  return {
    name,
    audience: 'everybody',
    ...listing,
    about: [name],
    usage: '[prompt]',
    async handle(app, { argument: text, ...given }) {
      await takeWords(app, name, { ...given, text })
    },
  }
}

function turn(
  view: (app: OrdersApp, press: Press, page: number, id: bigint) => Promise<View | undefined>,
) {
  return async (app: OrdersApp, press: Press): Promise<void> => {
    const { match, user, t, notify, edit } = press
    const [, userId, page, id = '0'] = match
    if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
    // The buttons of an order have prices.
    await app.prices.ready()
    const shown = await view(app, press, Number(page), BigInt(id))
    if (shown === undefined) return notify(t('button-stale'))
    await notify()
    await edit(shown.text, shown)
  }
}

async function sendAgain({ prisma, orders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, threadId, t, notify } = press
  const order = await findListed(prisma, press, BigInt(match[1] ?? ''))
  if (order?.state !== 'delivered') return notify(t('button-stale'))
  await notify()
  await orders.sendAgain(order.id, { chatId, threadId })
}

/** Cancels an order, also below the list. The run of the order edits its own message. */
async function cancel({ orders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, user, isAdmin, t, notify } = press
  const request = { orderId: BigInt(match[1] ?? ''), chatId, actor: { userId: user.id, isAdmin } }
  await notify(t(CANCEL_NOTICES[await orders.cancel(request)]))
}

/** @returns Undefined if the page is empty. */
async function viewPage(app: OrdersApp, reader: Reader, page: number): Promise<View | undefined> {
  const { user, t } = reader
  const rows = await app.prisma.order.findMany({
    where: whereOf(reader),
    include: WITH_COST,
    orderBy: { id: 'desc' },
    skip: page * PAGE_SIZE,
    take: PAGE_SIZE + 1,
  })
  const orders = rows.slice(0, PAGE_SIZE)
  if (orders.length === 0) return undefined
  const lines = orders.map((order, offset) => {
    const words = shortenLine(mediaOf(order).request.prompt, LINE_CHARS_MAX)
    return t('orders-line', { number: offset + 1, words, ...factsOf(app, order, reader) })
  })
  const opens = orders.map(({ id }, offset) => ({
    text: String(offset + 1),
    callback_data: `orders:open:${user.id}:${page}:${id}`,
  }))
  const turns = [
    ...(page > 0 ? [pageButton(reader, 'page-previous', page - 1)] : []),
    ...(rows.length > PAGE_SIZE ? [pageButton(reader, 'page-next', page + 1)] : []),
  ]
  const keyboard = [opens.slice(0, BUTTONS_IN_ROW), opens.slice(BUTTONS_IN_ROW), turns]
  return { text: [t('orders-title'), ...lines].join('\n\n'), keyboard: keyboardOf(keyboard) }
}

/** @returns Undefined if the list has no such order. */
async function viewOrder(
  app: OrdersApp,
  reader: Reader,
  page: number,
  id: bigint,
): Promise<View | undefined> {
  const { texts, timeZone } = app
  const { user, t } = reader
  const order = await findListed(app.prisma, reader, id)
  if (order === undefined) return undefined
  const at = markInstant(order.createdAt, { languageCode: user.languageCode, timeZone })
  const words = shorten(mediaOf(order).request.prompt.trim(), PROMPT_CHARS_MAX)
  const why = order.state === 'failed' ? [failureText(order, texts)] : []
  const head = t('orders-one', { ...factsOf(app, order, reader), at })
  const send = { text: t('button-send-again'), callback_data: `order:send:${id}` }
  const sends = order.state === 'delivered' ? [send] : []
  const back = [pageButton(reader, 'button-orders', page)]
  return {
    text: [head, words, ...why].join('\n\n'),
    keyboard: keyboardOf([sends, ...rowsBelow(app, order), back]),
  }
}

function pageButton({ user, t }: Reader, key: string, page: number): InlineKeyboardButton {
  return { text: t(key), callback_data: `orders:page:${user.id}:${page}` }
}

function keyboardOf(rows: InlineKeyboardButton[][]): InlineKeyboardMarkup {
  return { inline_keyboard: rows.filter((row) => row.length > 0) }
}

async function findListed(prisma: PrismaClient, reader: Reader, id: bigint) {
  const where = { ...whereOf(reader), id }
  return (await prisma.order.findFirst({ where, include: WITH_COST })) ?? undefined
}

/** A group's list is for all its members. */
function whereOf({ user, chatId }: Reader): Prisma.OrderWhereInput {
  return { ...ORDERED, userId: user.id, ...(chatId < 0 && { chatId }) }
}

function rowsBelow(app: OrdersApp, order: ListedOrder): InlineKeyboardButton[][] {
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

function factsOf({ texts }: OrdersApp, order: ListedOrder, { user, t }: Reader) {
  const { state, endedAt, priceMicroRub, charges } = order
  const cost = charges.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
  const isUnknown = priceMicroRub === null && (endedAt === null || state === 'delivered')
  const isFree = endedAt !== null && cost === 0n && !isUnknown
  const money = endedAt === null ? priceMicroRub : cost
  const { languageCode } = user
  const price = isFree
    ? t('orders-free')
    : priceText(isUnknown ? null : money, { languageCode, texts })
  return { summary: summaryOf(order, texts), state, price }
}
