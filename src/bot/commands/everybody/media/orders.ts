import { MEDIA_KINDS } from '../../../../contract/tasks.ts'
import type { Texts } from '../../../locales/texts.ts'
import type { PastOrders } from '../../../media/card/past-orders.ts'
import { offerVariables } from '../../../media/options/offer-texts.ts'
import { AGAIN_DATA } from '../../../media/order/again-buttons.ts'
import { OPEN_DATA, PAGE_DATA, SEND_DATA } from '../../../media/order/list-view.ts'
import { CANCEL_DATA } from '../../../media/order/order-status.ts'
import type { MediaPrices } from '../../../media/order/prices.ts'
import type { Orders } from '../../../media/orders.ts'
import type { CancelOutcome } from '../../../media/task/cancel-order.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'

interface OrdersCommandDeps {
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

/** Lists a user's orders, ten on a page, each with a button that opens it. */
export const ordersCommand: CommandDefinition<OrdersCommandDeps> = {
  name: 'orders',
  audience: 'everybody',
  about: MEDIA_KINDS,
  create: createOrdersCommand,
}

function createOrdersCommand({ orders, pastOrders, prices, texts }: OrdersCommandDeps) {
  const { list, view } = pastOrders
  const presses = [
    { data: PAGE_DATA, press: turnPage },
    { data: OPEN_DATA, press: open },
    { data: SEND_DATA, press: sendAgain },
    { data: CANCEL_DATA, press: cancel },
    { data: AGAIN_DATA, press: pastOrders.press },
  ]
  return { handle, presses }

  async function handle({ chatId, user, t, answer }: Command): Promise<void> {
    const page = await list.readPage({ userId: user.id, chatId }, 0)
    if (page.orders.length === 0) {
      return answer(t('orders-none', offerVariables(prices.kinds(), { ...user, texts })))
    }
    const { text, keyboard } = view.pageView(page, user)
    await answer(text, { keyboard })
  }

  async function turnPage({ data, chatId, user, t, notify, edit }: Press): Promise<void> {
    const [, userId, index] = PAGE_DATA.exec(data) ?? []
    if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
    const page = await list.readPage({ userId: user.id, chatId }, Number(index))
    if (page.orders.length === 0) return notify(t('button-stale'))
    await notify()
    const { text, keyboard } = view.pageView(page, user)
    await edit(text, { keyboard })
  }

  async function open({ data, chatId, user, t, notify, edit }: Press): Promise<void> {
    const [, userId, index, id = ''] = OPEN_DATA.exec(data) ?? []
    if (Number(userId) !== user.id) return notify(t('orders-not-yours'))
    const order = await list.find({ userId: user.id, chatId }, BigInt(id))
    if (order === undefined) return notify(t('button-stale'))
    await notify()
    await pastOrders.ready()
    const { text, keyboard } = view.orderView(order, { owner: user, index: Number(index) })
    await edit(text, { keyboard })
  }

  async function sendAgain({ data, chatId, threadId, user, t, notify }: Press): Promise<void> {
    const [, id = ''] = SEND_DATA.exec(data) ?? []
    const order = await list.find({ userId: user.id, chatId }, BigInt(id))
    if (order?.state !== 'delivered') return notify(t('button-stale'))
    await notify()
    await orders.sendAgain(order.id, { chatId, threadId })
  }

  /** Below the list, too; the order's own message is edited by who has its lease. */
  async function cancel({ data, chatId, user, isAdmin, t, notify }: Press): Promise<void> {
    const orderId = BigInt(CANCEL_DATA.exec(data)?.[1] ?? '')
    const actor = { userId: user.id, isAdmin }
    await notify(t(CANCEL_NOTICES[await orders.cancel({ orderId, chatId, actor })]))
  }
}
