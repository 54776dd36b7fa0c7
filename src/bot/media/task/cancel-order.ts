/**
 * An order's end before it goes to the service.
 *
 * Invariant: an order is cancelled or submitted, never both. This statement and the one that submits
 * both change it from `placed`, and the later of the two finds that it is not any more.
 */
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { ORDER_TABLE } from '../order/order-table.ts'
import { makeRoom } from '../order/parallel-orders.ts'

interface Actor {
  userId: number
  isAdmin: boolean
}

/** The order that is to be cancelled, who wants it, and the chat in which they press the button. */
export interface CancelRequest {
  orderId: bigint
  chatId: number
  actor: Actor
}

/**
 * `too_late`: it went to the service, or has ended. `not_yours`: another user's, as with replies. `gone`: the
 * chat has no such order.
 */
export type CancelOutcome = 'cancelled' | 'too_late' | 'not_yours' | 'gone'

/** Cancels an order for its user in any chat, or for an admin in the order's own. */
export async function cancelOrder(
  prisma: Pick<PrismaClient, 'order' | '$transaction'>,
  { orderId, chatId, actor }: CancelRequest,
): Promise<CancelOutcome> {
  const select = { userId: true, chatId: true } as const
  const order = await prisma.order.findUnique({ where: { id: orderId }, select })
  if (order === null) return 'gone'
  const { userId } = order
  const isOwn = Number(userId) === actor.userId
  // A client can send what stands below no message of its chat.
  if (!isOwn && Number(order.chatId) !== chatId) return 'gone'
  if (!isOwn && !actor.isAdmin) return 'not_yours'
  return (await cancelUnsent(prisma, { id: orderId, userId })) ? 'cancelled' : 'too_late'
}

/**
 * Cancels an order that was not sent to the service. The order's next visit shows it.
 *
 * @returns False where it was sent, or has ended.
 */
export function cancelUnsent(
  prisma: Pick<PrismaClient, '$transaction'>,
  { id, userId }: { id: bigint; userId: bigint },
): Promise<boolean> {
  return prisma.$transaction((tx) =>
    makeRoom(tx, userId, async () => {
      const cancelled = await tx.$queryRaw<unknown[]>`
        WITH cancelled AS (
          UPDATE bot."order" SET state = 'cancelled', held_micro_rub = NULL, due_at = now()
          WHERE id = ${id} AND state IN ('waiting', 'placed') AND ended_at IS NULL RETURNING id
        )
        SELECT pg_notify(${ORDER_TABLE.name}, '')::text FROM cancelled`
      return cancelled.length > 0
    }),
  )
}

/** Notifies the visits of orders that their orders were cancelled. */
export function createCancellations(prisma: Pick<PrismaClient, 'order'>) {
  const watched = new Map<bigint, () => void>()
  return { watch, notify: (orderId: bigint) => watched.get(orderId)?.() }

  /** Has `onCancel` called when the order is cancelled, also if it was so before. */
  function watch(orderId: bigint, onCancel: () => void): () => void {
    watched.set(orderId, onCancel)
    const where = { id: orderId, state: 'cancelled' } as const
    const look = async () => (await prisma.order.count({ where })) > 0 && onCancel()
    // An order that was cancelled is not submitted.
    void look().catch(() => {})
    return () => void watched.delete(orderId)
  }
}

export type Cancellations = ReturnType<typeof createCancellations>
