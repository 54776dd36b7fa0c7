import { Prisma } from '../../../platform/database/generated/client.ts'

/**
 * Locks the turns and orders of a user or a chat until the transaction ends, and then what is reserved for them, before
 * anything that is counted: the first classes of `record-charges.ts`, for a transaction that changes many.
 * What begins meanwhile is not among them: where that ends in a deadlock, the update is handled once more.
 *
 * @param summaries The ids of summaries that are to change with the turns that they sum up.
 */
export async function lockCharged(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  id: number,
  { summaries = [] }: { summaries?: readonly bigint[] } = {},
): Promise<void> {
  const isTheirs = Prisma.sql`(user_id = ${id} OR chat_id = ${id})`
  await tx.$executeRaw`
    SELECT FROM bot.turn
    WHERE ${isTheirs} OR id = ANY(${summaries}::bigint[]) OR summary_id = ANY(${summaries}::bigint[])
    ORDER BY id FOR UPDATE`
  await tx.$executeRaw`SELECT FROM bot."order" WHERE ${isTheirs} ORDER BY id FOR UPDATE`
  await tx.$executeRaw`SELECT FROM bot.reservation WHERE ${isTheirs} ORDER BY id FOR UPDATE`
}
