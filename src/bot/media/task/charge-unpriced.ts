import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { ORDER_COLUMNS } from '../../spend/charges/order-charges.ts'
import { recordCharges } from '../../spend/charges/record-charges.ts'

/**
 * Charges the orders of a label that went at an unknown price, now that it is learnt.
 *
 * Invariant: an order's price and its charge are written by one statement, and only while the order has a
 * task that did not fail. It waits for one that fails just now (`OrderStore.fail()` changes the order
 * before it takes a charge back), so that no charge is left on a failed order. Safe to repeat.
 *
 * @returns The orders charged, with their price.
 */
export function chargeUnpriced(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  label: string,
  calendar: Calendar,
): Promise<{ id: bigint; priceMicroRub: bigint }[]> {
  const charges = recordCharges({
    columns: {
      ...ORDER_COLUMNS,
      amount_micro_rub: Prisma.sql`price_micro_rub`,
      estimated: Prisma.sql`true`,
    },
    from: Prisma.sql`FROM priced`,
    over: Prisma.sql`SELECT 'order'::bot.reservation_kind, id FROM priced`,
    calendar,
  })
  // By id: two processes may learn the price at once.
  return prisma.$queryRaw`
    WITH unpriced AS MATERIALIZED (
      SELECT id FROM bot."order"
      WHERE label = ${label} AND price_micro_rub IS NULL
        AND state IN ('generating', 'ready', 'delivered')
      ORDER BY id FOR NO KEY UPDATE
    ), priced AS (
      UPDATE bot."order" SET price_micro_rub = learnt_price.price_micro_rub
      FROM bot.learnt_price, unpriced
      WHERE learnt_price.label = ${label} AND "order".id = unpriced.id
      RETURNING "order".id, user_id, chat_id, kind, "order".label, task_id, "order".price_micro_rub
    ), ${charges}
    SELECT id, price_micro_rub AS "priceMicroRub" FROM priced`
}
