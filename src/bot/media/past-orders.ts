import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Texts } from '../locales/texts.ts'
import type { LimitTexts } from '../spend/limits/limit-texts.ts'
import { createOrderAgain, type OrderAgainDeps } from './card/order-again.ts'
import { createPressAgain } from './card/press-again.ts'
import { createAgainButtons } from './order/again-buttons.ts'
import { createListView } from './order/list-view.ts'
import { createOrderList } from './order/order-list.ts'
import type { MediaPrices } from './prices.ts'

export interface PastOrdersDeps extends OrderAgainDeps {
  prisma: PrismaClient
  prices: MediaPrices
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
}

/** What users read back of their orders, and order once more. */
export function createPastOrders(deps: PastOrdersDeps) {
  const list = createOrderList(deps.prisma)
  const againButtons = createAgainButtons(deps)
  const view = createListView({ ...deps, againButtons })
  const { orderAgain } = createOrderAgain(deps)
  const { press } = createPressAgain({ ...deps, orderList: list, orderAgain, againButtons })
  /** To be awaited before an order is shown: its buttons have prices. */
  const { ready } = deps.prices
  return { list, view, press, ready }
}

export type PastOrders = ReturnType<typeof createPastOrders>
