import type { PrismaClient } from '../../../platform/database/generated/client.ts'

/** A service moves its balance, and gives money back, when it comes to it. */
export const LATE_MINUTES_MAX = 15
/** An answer that its user stopped goes on unseen; it is among so many of the newest turns. */
const STOPPED_TURNS_MAX = 1_000

/** The rows that every paid request changes. */
export interface UseTraces {
  sentAt: Date | null
  chargeId: bigint | null
}

/**
 * Reads what would show that the service is used: of two readings of its balance with the same traces nothing
 * of ours went out between them, and nothing was charged.
 *
 * @param exceptOrderId An order that counts as nothing of ours.
 * @returns Undefined while something is under way that the service charges or gives money back for: an order at
 *   the service, a turn that is being answered, a refund of the last minutes.
 */
export async function readUseTraces(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { exceptOrderId = null }: { exceptOrderId?: bigint | null } = {},
): Promise<UseTraces | undefined> {
  const [found] = await prisma.$queryRaw<(UseTraces & { isBusy: boolean })[]>`
    SELECT
      (SELECT max(went) FROM bot.service_gate, unnest(sent_at) AS went) AS "sentAt",
      (
        SELECT id FROM bot.charge WHERE order_id IS DISTINCT FROM ${exceptOrderId}::bigint
        ORDER BY id DESC LIMIT 1
      ) AS "chargeId",
      EXISTS (
        SELECT FROM bot."order"
        WHERE ended_at IS NULL AND state IN ('submitted', 'generating')
          AND id IS DISTINCT FROM ${exceptOrderId}::bigint
      ) OR EXISTS (
        SELECT FROM bot.turn WHERE ended_at IS NULL AND state = 'streaming'
      ) OR EXISTS (
        SELECT FROM bot.turn
        WHERE id > (SELECT max(id) FROM bot.turn) - ${STOPPED_TURNS_MAX} AND state = 'stopped'
          AND created_at > now() - interval '1 hour'
          AND NOT EXISTS (
            SELECT FROM bot.charge WHERE turn_id = turn.id AND request = greatest(requests, 1)
          )
      ) OR EXISTS (
        SELECT FROM bot.charge WHERE reversal_of IS NOT NULL AND NOT written_off
          AND created_at > now() - ${LATE_MINUTES_MAX} * interval '1 minute'
      ) AS "isBusy"`
  return found === undefined || found.isBusy
    ? undefined
    : { sentAt: found.sentAt, chargeId: found.chargeId }
}

export function isSameUse(one: UseTraces, other: UseTraces): boolean {
  return one.sentAt?.getTime() === other.sentAt?.getTime() && one.chargeId === other.chargeId
}
