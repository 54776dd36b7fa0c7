import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Texts } from '../locales/texts.ts'
import type { LimitTexts } from '../spend/limits/limit-texts.ts'
import { createAgainButtons } from './again/again-buttons.ts'
import { createOrderAgain, type OrderAgainDeps } from './again/order-again.ts'
import { createPressAgain } from './again/press-again.ts'
import { createListView } from './list/list-view.ts'
import { createOrderList } from './list/order-list.ts'
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
