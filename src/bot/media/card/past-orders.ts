import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { AgainButtons } from '../order/again-buttons.ts'
import { createListView } from '../order/list-view.ts'
import { createOrderList } from '../order/order-list.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import type { Pictures } from '../picture/pictures.ts'
import { createOrderAgain } from './order-again.ts'
import type { OrderCreation } from './order-creation.ts'
import { createPressAgain } from './press-again.ts'

export interface PastOrdersDeps {
  prisma: Pick<PrismaClient, 'order'>
  creation: OrderCreation
  pictures: Pick<Pictures, 'offer' | 'offerAgain'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf'>
  mediaRules: Pick<MediaRules, 'read'>
  againButtons: AgainButtons
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
}

/** Builds what users read back of their orders, and order once more. */
export function createPastOrders(deps: PastOrdersDeps) {
  const { prisma, creation, pictures, prices, mediaRules, againButtons } = deps
  const { limitTexts, texts, timeZone } = deps
  const list = createOrderList(prisma)
  const view = createListView({ texts, timeZone, againButtons })
  const { orderAgain } = createOrderAgain({ creation, pictures, prices, mediaRules })
  const { press } = createPressAgain({
    orderList: list,
    orderAgain,
    againButtons,
    prices,
    limitTexts,
    texts,
  })
  /** Call it before an order is shown: its buttons have prices. */
  const { ready } = prices
  return { list, view, press, ready }
}

export type PastOrders = ReturnType<typeof createPastOrders>
