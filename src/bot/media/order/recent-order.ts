import type { PrismaClient } from '../../../platform/database/generated/client.ts'

/** Who is about to order, and the key of what asks for it. */
export interface Asker {
  userId: number
  originKey: string
}

/** A card that was opened before them may be ordered after them. */
const LAST_MAX = 10

/**
 * Checks whether a user ordered something within the last minute, by the database's clock. What they cancelled does not
 * count, nor what the same message or button ordered: it may be handled a second time.
 */
export async function hasJustOrdered(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { userId, originKey }: Asker,
): Promise<boolean> {
  const [last] = await prisma.$queryRaw<{ isNew: boolean | null }[]>`
    SELECT max(created_at) > now() - interval '1 minute' AS "isNew" FROM (
      SELECT created_at FROM bot."order"
      WHERE user_id = ${userId} AND state NOT IN ('draft', 'dropped', 'cancelled')
        AND origin_key <> ${originKey}
      ORDER BY id DESC LIMIT ${LAST_MAX}
    ) AS last`
  return last?.isNew ?? false
}
