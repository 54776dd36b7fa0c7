import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { ORDER_TABLE } from '../order/order-table.ts'

/**
 * Makes the results due that are kept for a chat, which takes messages again.
 *
 * Every order of the chat that is ready is due then, parked or about to be: a visit that hears a last
 * refusal at this moment does not put its order off.
 */
export async function releaseParked(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  chatId: number,
): Promise<void> {
  await prisma.$executeRaw`
    WITH due AS (
      UPDATE bot."order" SET due_at = now(), parked_at = NULL
      WHERE chat_id = ${chatId} AND state = 'ready' RETURNING 1
    )
    SELECT pg_notify(${ORDER_TABLE.name}, '') FROM due LIMIT 1`
}
