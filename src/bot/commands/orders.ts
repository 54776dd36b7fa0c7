import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import { AGAIN_DATA, pressAgain } from '../media/again.ts'
import { type CardsApp, takeWords } from '../media/draft-card.ts'
import {
  findListed,
  type ListApp,
  OPEN_DATA,
  PAGE_DATA,
  SEND_DATA,
  viewOrder,
  viewPage,
} from '../media/list.ts'
import { offerVariables } from '../media/option-texts.ts'
import type { Orders } from '../media/orders.ts'
import type { CancelOutcome } from '../media/place-order.ts'
import { CANCEL_DATA } from '../media/status.ts'
import type { CommandDefinition, CommandFacts, Press } from './command.ts'

interface OrdersApp extends CardsApp, ListApp {
  orders: CardsApp['orders'] & Pick<Orders, 'cancel' | 'sendAgain'>
}

const CANCEL_NOTICES: Readonly<Record<CancelOutcome, string>> = {
  cancelled: 'cancel-done',
  too_late: 'cancel-too-late',
  not_yours: 'turn-not-yours',
  gone: 'button-stale',
}

/** Orders a video, or shows the card on which one is ordered. */
export const videoCommand = orderCommand({ name: 'video', listed: 'everywhere' })

/** Orders an image, or shows the card on which one is ordered. */
export const imageCommand = orderCommand({ name: 'image', listed: 'everywhere' })

/** Orders a sound, or shows the card on which one is ordered. */
export const soundCommand = orderCommand({
  name: 'sound',
  listed: 'everywhere',
  unlessSold: 'image',
})

/** Lists a user's orders, ten on a page, each with a button that opens it. */
export const ordersCommand: CommandDefinition<OrdersApp> = {
  name: 'orders',
  audience: 'everybody',
  about: MEDIA_KINDS,
  async handle(app, { chatId, user, t, answer }) {
    const page = await viewPage(app, { ...readerOf(user), chatId }, 0)
    if (page !== undefined) return answer(page.text, page)
    await answer(t('orders-none', offerVariables(app.prices.kinds(), { ...user, ...app })))
  },
  presses: [
    { data: PAGE_DATA, press: turnPage },
    { data: OPEN_DATA, press: open },
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
} & Pick<CommandFacts, 'listed' | 'unlessSold'>): CommandDefinition<CardsApp> {
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

function readerOf({ id: userId, languageCode }: Press['user']) {
  return { userId, languageCode }
}

async function turnPage(app: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, user, t, notify, edit } = press
  const [, userId, index] = match
  if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
  const page = await viewPage(app, { ...readerOf(user), chatId }, Number(index))
  if (page === undefined) return notify(t('button-stale'))
  await notify()
  await edit(page.text, page)
}

async function open(app: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, user, t, notify, edit } = press
  const [, userId, index, id = ''] = match
  if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
  // The buttons of an order have prices.
  await app.prices.ready()
  const opened = { id: BigInt(id), index: Number(index) }
  const view = await viewOrder(app, { ...readerOf(user), chatId }, opened)
  if (view === undefined) return notify(t('button-stale'))
  await notify()
  await edit(view.text, view)
}

async function sendAgain({ prisma, orders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, threadId, user, t, notify } = press
  const order = await findListed(prisma, { userId: user.id, chatId }, BigInt(match[1] ?? ''))
  if (order?.state !== 'delivered') return notify(t('button-stale'))
  await notify()
  await orders.sendAgain(order.id, { chatId, threadId })
}

/** Cancels an order also below the list; the process that has its lease edits the order's own message. */
async function cancel({ orders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, user, isAdmin, t, notify } = press
  const request = { orderId: BigInt(match[1] ?? ''), chatId, actor: { userId: user.id, isAdmin } }
  await notify(t(CANCEL_NOTICES[await orders.cancel(request)]))
}
