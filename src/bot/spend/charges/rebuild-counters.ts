import { Prisma } from '../../../platform/database/generated/client.ts'
import { PERIOD_COUNTERS } from './sums.ts'
import { trueCounters } from './true-sums.ts'

/** Makes the counters of some spenders from the sums by day. Their rows are locked by the caller. */
export async function rebuildCounters(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  ids: readonly bigint[],
): Promise<void> {
  const days = Prisma.sql`(
    SELECT * FROM bot.spend_day WHERE user_id = ANY(${ids}) OR chat_id = ANY(${ids})
  ) AS days`
  const names = [...Object.values(PERIOD_COUNTERS), 'total_micro_rub', 'reserved_micro_rub']
  await tx.$executeRaw`
    UPDATE bot.spender SET ${Prisma.raw(names.map((name) => `${name} = counted.${name}`).join(', '))}
    FROM (${trueCounters(days)}) AS counted
    WHERE spender.id = counted.id AND spender.id = ANY(${ids})`
}
