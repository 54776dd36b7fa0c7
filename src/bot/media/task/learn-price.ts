import type { Logger } from 'pino'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { isSameUse, readUseTraces, type UseTraces } from '../../spend/check/service-use.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { Order } from '../order/order-store.ts'
import type { LearntPrices } from '../order/prices.ts'
import { chargeUnpriced } from './charge-unpriced.ts'

/** More is no price of one order, but something else that was paid meanwhile. */
const PRICE_MICRO_RUB_MAX = 10_000_000_000n

/** The state before an order was created. */
export interface PriceWatch {
  balanceMicroRub: bigint
  /** The order's own charge left out. */
  traces: UseTraces
}

export interface PriceLearningDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  service: Pick<ServiceClient, 'balance'>
  learnt: Pick<LearntPrices, 'learn'>
  calendar: Calendar
  log: Logger
}

/**
 * Learns what orders cost where the service serves no prices: what the balance falls by when one is created,
 * provided that nothing else of ours moved it.
 *
 * Nothing did if before and after it no other order is at the service, no turn is being answered, and no
 * refund of the last minutes may be on its way; and if between the two no other request went out and no other
 * charge was recorded. The difference is a price if it is above zero and no more than 10,000 ₽. What else
 * uses the service's account is not known here: a learnt price is an estimate, and each order at an
 * estimated price learns it again.
 */
export function createPriceLearning({ prisma, service, learnt, calendar, log }: PriceLearningDeps) {
  return { begin, end }

  /**
   * Reads the balance before an order is created.
   *
   * @returns Undefined where there is nothing to learn, or no way to: the order goes all the same.
   */
  async function begin(order: Order): Promise<PriceWatch | undefined> {
    if (!order.priceEstimated) return undefined
    return attempt(order, async () => {
      const traces = await readUseTraces(prisma, { exceptOrderId: order.id })
      if (traces === undefined) return undefined
      return { balanceMicroRub: (await service.balance()).balanceMicroRub, traces }
    })
  }

  /**
   * Reads the balance again, after the order's task was stored, and keeps what it cost. Where an order of
   * the label went at an unknown price, this one or another, it is charged as soon as one is learnt.
   *
   * @returns The order, with its price if that is known now.
   */
  async function end(order: Order, watch: PriceWatch | undefined): Promise<Order> {
    if (!order.priceEstimated) return order
    const priced = await attempt(order, async () => {
      const priceMicroRub = watch && (await findPrice(order, watch))
      if (priceMicroRub !== undefined) await learnt.learn(order.label, priceMicroRub)
      const charged = await chargeUnpriced(prisma, order.label, calendar)
      return charged.find(({ id }) => id === order.id)
    })
    return { ...order, ...priced }
  }

  async function findPrice(order: Order, watch: PriceWatch): Promise<bigint | undefined> {
    const { balanceMicroRub } = await service.balance()
    const traces = await readUseTraces(prisma, { exceptOrderId: order.id })
    const isQuiet = traces !== undefined && isSameUse(traces, watch.traces)
    const priceMicroRub = watch.balanceMicroRub - balanceMicroRub
    const isPlausible = priceMicroRub > 0n && priceMicroRub <= PRICE_MICRO_RUB_MAX
    return isQuiet && isPlausible ? priceMicroRub : undefined
  }

  /** Prices are learnt by the way: no order fails over it. */
  async function attempt<T>({ id }: Order, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      log.warn({ ...errorFacts(error), orderId: String(id) }, 'price of an order not learnt')
      return undefined
    }
  }
}

export type PriceLearning = ReturnType<typeof createPriceLearning>
