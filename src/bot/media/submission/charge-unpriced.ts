import type { PrismaClient } from '../../../database/generated/client.ts'

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
): Promise<{ id: bigint; priceMicroRub: bigint }[]> {
  return prisma.$queryRaw`
    WITH priced AS (
      UPDATE bot."order" SET price_micro_rub = learnt_price.price_micro_rub
      FROM bot.learnt_price
      WHERE learnt_price.label = ${label} AND "order".label = ${label}
        AND "order".price_micro_rub IS NULL AND state IN ('generating', 'ready', 'delivered')
      RETURNING id, user_id, "order".label, "order".price_micro_rub
    ), charged AS (
      INSERT INTO bot.charge (user_id, order_id, kind, item, amount_micro_rub, estimated)
      SELECT user_id, id, 'order', label, price_micro_rub, true FROM priced
      ON CONFLICT (order_id, kind) DO NOTHING
    )
    SELECT id, price_micro_rub AS "priceMicroRub" FROM priced`
}
