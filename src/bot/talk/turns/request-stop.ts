import type { PrismaClient } from '../../../platform/database/generated/client.ts'

/** The channel that notifies every process of a turn that is to stop: by its id. */
export const STOP_CHANNEL = 'bot_stop_turn'

/**
 * Asks for the end of a turn that waits, that another process runs, or will take up. Safe to repeat.
 *
 * Invariant: the mark and the notification of it are one statement, so that the process that runs the
 * turn is notified, and one that takes it up later finds the mark.
 *
 * @returns Whether the turn had not ended yet.
 */
export async function requestStop(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turnId: bigint,
): Promise<boolean> {
  const requested = await prisma.$queryRaw<unknown[]>`
    WITH requested AS (
      UPDATE bot.turn SET stop_requested_at = coalesce(stop_requested_at, now())
      WHERE id = ${turnId} AND state IN ('streaming', 'waiting') RETURNING id
    )
    SELECT pg_notify(${STOP_CHANNEL}, id::text)::text FROM requested`
  return requested.length > 0
}
