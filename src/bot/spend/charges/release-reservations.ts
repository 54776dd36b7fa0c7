import { Prisma } from '../../../platform/database/generated/client.ts'
import { SUBJECTS } from './sums.ts'

/**
 * Ends reservations of what will not be charged. Safe to repeat.
 *
 * Invariant: a reservation and what its spenders have of it in `reserved_micro_rub` end by one statement, which
 * locks as `record-charges.ts` says.
 *
 * @param which A condition on `bot.reservation`.
 */
export async function releaseReservations(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  which: Prisma.Sql,
): Promise<void> {
  await tx.$executeRaw`
    WITH released AS (
      DELETE FROM bot.reservation WHERE ${which} RETURNING user_id, chat_id, amount_micro_rub
    ), change AS (
      SELECT subject.id, sum(amount_micro_rub) AS amount FROM released, ${SUBJECTS} GROUP BY subject.id
    ), locked AS MATERIALIZED (
      SELECT id FROM bot.spender WHERE id IN (SELECT id FROM change) ORDER BY id FOR UPDATE
    )
    UPDATE bot.spender SET reserved_micro_rub = reserved_micro_rub - change.amount
    FROM locked JOIN change USING (id) WHERE spender.id = locked.id`
}

/** The reservation of an order, as a condition. */
export function ofOrder(id: bigint): Prisma.Sql {
  return Prisma.sql`kind = 'order' AND id = ${id}`
}

/** The reservation of a turn, as a condition. */
export function ofTurn(id: bigint): Prisma.Sql {
  return Prisma.sql`kind = 'turn' AND id = ${id}`
}
