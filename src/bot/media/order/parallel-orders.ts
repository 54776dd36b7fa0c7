/**
 * How many orders of one user are in the queue or at the service at the same time.
 *
 * Invariants, whichever processes write:
 * - of one user at most `parallelMax` orders are `placed`, `submitted` or `generating`: who adds one
 *   holds the user's row from the count until it is stored. A lower limit ends none that is one already;
 * - the others are `waiting` and go on in the order in which they came: who takes one away makes the
 *   first of them due in the same transaction, and holds the user's row as well, so that none comes to
 *   wait in between.
 */
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { lockUser } from '../../people/users.ts'
import { ORDER_TABLE } from './order-table.ts'

const RUNNING = ['placed', 'submitted', 'generating'] as const

/** One order of a user among the others. */
export interface UserOrder {
  userId: bigint | number
  /** Undefined where it is not stored yet: it comes after all others. */
  id?: bigint | undefined
}

/** Checks whether an order may go into the queue: it counts as running from the end of this transaction on. */
export async function mayRun(
  tx: Prisma.TransactionClient,
  { userId, id }: UserOrder,
  parallelMax: number,
): Promise<boolean> {
  await lockUser(tx, userId)
  const before = { state: 'waiting', ...(id !== undefined && { id: { lt: id } }) } as const
  const count = await tx.order.count({
    where: { userId, endedAt: null, OR: [{ state: { in: [...RUNNING] } }, before] },
  })
  return count < parallelMax
}

/** Makes a change that takes an order of a user's away, and the next one due that waits. */
export async function makeRoom<T>(
  tx: Prisma.TransactionClient,
  userId: bigint,
  change: () => Promise<T>,
): Promise<T> {
  await lockUser(tx, userId)
  const changed = await change()
  await tx.$executeRaw`
    WITH next AS (
      SELECT id FROM bot."order" WHERE user_id = ${userId} AND ended_at IS NULL AND state = 'waiting'
      ORDER BY id LIMIT 1
    ), woken AS (
      UPDATE bot."order" SET due_at = now() FROM next WHERE "order".id = next.id RETURNING 1
    )
    SELECT pg_notify(${ORDER_TABLE.name}, '') FROM woken`
  return changed
}
