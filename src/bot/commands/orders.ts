import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import type { Texts } from '../locales/texts.ts'
import type { OrderCards } from '../media/card/order-cards.ts'
import type { PastOrders } from '../media/card/past-orders.ts'
import { offerVariables } from '../media/option-texts.ts'
import { AGAIN_DATA } from '../media/order/again-buttons.ts'
import { OPEN_DATA, PAGE_DATA, SEND_DATA } from '../media/order/list-view.ts'
import { CANCEL_DATA } from '../media/order/order-status.ts'
import type { MediaPrices } from '../media/order/prices.ts'
import type { Orders } from '../media/orders.ts'
import type { CancelOutcome } from '../media/task/cancel-order.ts'
import type { CommandDefinition, CommandFacts, Press } from './command.ts'

interface OrdersApp {
  prices: Pick<MediaPrices, 'kinds'>
  texts: Texts
  orders: Pick<Orders, 'cancel' | 'sendAgain'>
  pastOrders: PastOrders
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
  async handle({ pastOrders, prices, texts }, { chatId, user, t, answer }) {
    const page = await pastOrders.list.readPage({ userId: user.id, chatId }, 0)
    if (page.orders.length === 0) {
      return answer(t('orders-none', offerVariables(prices.kinds(), { ...user, texts })))
    }
    const { text, keyboard } = pastOrders.view.pageView(page, user)
    await answer(text, { keyboard })
  },
  presses: [
    { data: PAGE_DATA, press: turnPage },
    { data: OPEN_DATA, press: open },
    { data: SEND_DATA, press: sendAgain },
    { data: CANCEL_DATA, press: cancel },
    { data: AGAIN_DATA, press: ({ pastOrders }, press) => pastOrders.press(press) },
  ],
}

function orderCommand({
  name,
  ...listing
}: { name: MediaKind } & Pick<CommandFacts, 'listed' | 'unlessSold'>): CommandDefinition<{
  orderCards: Pick<OrderCards, 'command'>
}> {
  return {
    name,
    audience: 'everybody',
    ...listing,
    about: [name],
    usage: '[prompt]',
    handle: ({ orderCards }, command) => orderCards.command(name, command),
  }
}

async function turnPage({ pastOrders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, user, t, notify, edit } = press
  const [, userId, index] = match
  if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
  const page = await pastOrders.list.readPage({ userId: user.id, chatId }, Number(index))
  if (page.orders.length === 0) return notify(t('button-stale'))
  await notify()
  const { text, keyboard } = pastOrders.view.pageView(page, user)
  await edit(text, { keyboard })
}

async function open({ pastOrders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, user, t, notify, edit } = press
  const [, userId, index, id = ''] = match
  if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
  const order = await pastOrders.list.find({ userId: user.id, chatId }, BigInt(id))
  if (order === undefined) return notify(t('button-stale'))
  await notify()
  await pastOrders.ready()
  const { text, keyboard } = pastOrders.view.orderView(order, { owner: user, index: Number(index) })
  await edit(text, { keyboard })
}

async function sendAgain({ pastOrders, orders }: OrdersApp, press: Press): Promise<void> {
  const { match, chatId, threadId, user, t, notify } = press
  const order = await pastOrders.list.find({ userId: user.id, chatId }, BigInt(match[1] ?? ''))
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
