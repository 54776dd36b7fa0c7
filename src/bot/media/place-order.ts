/**
 * The beginning of an order, and its end before it goes to the service.
 *
 * Invariants, whichever processes write:
 * - at most `parallelMax` orders of one user are `placed`, `submitted` or `generating`. A statement that adds an order
 *   holds the user's row from the count until it is stored. A lower limit ends no order;
 * - the others are `waiting` and continue in the order in which they came. The transaction that makes room notifies the
 *   first of them, and holds the user's row as well;
 * - an order is cancelled or submitted, never both: both statements change it from `placed`.
 */
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { lockUser } from '../people/users.ts'
import type { OrdersApp } from './orders-app.ts'

export const ORDER_CHANNEL = 'bot_order'

const RUNNING = ['placed', 'submitted', 'generating'] as const

export interface StoredDraft {
  id: bigint
  userId: bigint | number
  chatId: bigint | number
  priceMicroRub: bigint | null
}

/** Start the order after the commit. @throws {LimitReachedError} If a limit leaves no room: roll back. */
export async function placeOrder(
  { rules, spend }: Pick<OrdersApp, 'rules' | 'spend'>,
  tx: Prisma.TransactionClient,
  { id, userId, chatId, priceMicroRub }: StoredDraft,
): Promise<void> {
  const { parallelMax } = await rules.read()
  const state = (await mayRun(tx, { userId }, parallelMax)) ? 'placed' : 'waiting'
  const createdAt = await readTime(tx)
  const placed = { state, createdAt, heldMicroRub: priceMicroRub, draft: Prisma.DbNull } as const
  await tx.order.update({ where: { id }, data: placed })
  const amountMicroRub = priceMicroRub ?? 0n
  await spend.limits.reserve(tx, { userId, chatId, amountMicroRub, except: { orderId: id } })
}

/** The order counts as running from the end of this transaction on. Without an id it comes after all others. */
export async function mayRun(
  tx: Prisma.TransactionClient,
  { id, userId }: { id?: bigint; userId: bigint | number },
  parallelMax: number,
): Promise<boolean> {
  await lockUser(tx, userId)
  const before = { state: 'waiting', ...(id !== undefined && { id: { lt: id } }) } as const
  const running = [{ state: { in: [...RUNNING] } }, before]
  const where = { userId, endedAt: null, OR: running }
  return (await tx.order.count({ where })) < parallelMax
}

/** Makes a change that ends a user's running order, and wakes the first waiting order. */
export async function makeRoom<T>(
  tx: Prisma.TransactionClient,
  userId: bigint,
  change: () => Promise<T>,
): Promise<T> {
  await lockUser(tx, userId)
  const changed = await change()
  await tx.$executeRaw`
    SELECT pg_notify(${ORDER_CHANNEL}, id::text) FROM (
      SELECT id FROM bot."order" WHERE user_id = ${userId} AND ended_at IS NULL AND state = 'waiting'
      ORDER BY id LIMIT 1
    ) AS next`
  return changed
}

interface Actor {
  userId: number
  isAdmin: boolean
}

export interface CancelRequest {
  orderId: bigint
  chatId: number
  actor: Actor
}

/** `too_late`: the order went to the service, or has ended. `gone`: the chat has no such order. */
export type CancelOutcome = 'cancelled' | 'too_late' | 'not_yours' | 'gone'

/** Cancels an order for its user in any chat, or for an admin in the order's own. Its run shows it. */
export async function cancelOrder(
  prisma: Pick<PrismaClient, 'order' | '$transaction'>,
  { orderId: id, chatId, actor }: CancelRequest,
): Promise<CancelOutcome> {
  const select = { userId: true, chatId: true } as const
  const order = await prisma.order.findUnique({ where: { id }, select })
  if (order === null) return 'gone'
  const { userId } = order
  const isOwn = Number(userId) === actor.userId
  // A client can send data that no button of its chat has.
  if (!isOwn && Number(order.chatId) !== chatId) return 'gone'
  if (!isOwn && !actor.isAdmin) return 'not_yours'
  return prisma.$transaction(async (tx) => {
    const cancelUnsent = () => tx.$queryRaw<unknown[]>`
      WITH cancelled AS (
        UPDATE bot."order" SET state = 'cancelled', held_micro_rub = NULL
        WHERE id = ${id} AND state IN ('waiting', 'placed') AND ended_at IS NULL RETURNING id
      )
      SELECT pg_notify(${ORDER_CHANNEL}, id::text)::text FROM cancelled`
    const cancelled = await makeRoom(tx, userId, cancelUnsent)
    return cancelled.length > 0 ? 'cancelled' : 'too_late'
  })
}
