import { Prisma } from '../../../database/generated/client.ts'
import { startOf } from '../calendar.ts'
import { PERIOD_COUNTERS, PERIODS, SUBJECTS } from './sums.ts'

/**
 * SQL of what the rows of `spender` must say, on the day that they are of.
 *
 * @param spend A FROM item with the columns user_id, chat_id, day and amount_micro_rub: the charges, or sums
 *   of them.
 */
function trueCounters(spend: Prisma.Sql): Prisma.Sql {
  const counters = PERIODS.map((period) => {
    const isIn = Prisma.sql`${startOf(period, Prisma.sql`spent.day`)} = ${startOf(period, Prisma.sql`spender.day`)}`
    const name = Prisma.raw(PERIOD_COUNTERS[period])
    return Prisma.sql`coalesce(sum(spent.amount) FILTER (WHERE ${isIn}), 0)::bigint AS ${name}`
  })
  return Prisma.sql`
    SELECT spender.id, ${Prisma.join(counters)},
      coalesce(sum(spent.amount), 0)::bigint AS total_micro_rub,
      coalesce((
        SELECT sum(amount_micro_rub) FROM bot.reservation
        WHERE user_id = spender.id OR chat_id = spender.id AND chat_id < 0
      ), 0)::bigint AS reserved_micro_rub
    FROM bot.spender LEFT JOIN (
      SELECT subject.id, day, sum(amount_micro_rub) AS amount FROM ${spend}, ${SUBJECTS}
      GROUP BY subject.id, day
    ) AS spent ON spent.id = spender.id
    GROUP BY spender.id`
}

/** Makes the counters of some spenders from the sums by day. Their rows are locked by the caller. */
export async function rebuildCounters(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  ids: readonly bigint[],
): Promise<void> {
  const spend = Prisma.sql`(
    SELECT * FROM bot.spend_day WHERE user_id = ANY(${ids}) OR chat_id = ANY(${ids})
  ) AS spend`
  await tx.$executeRaw`
    UPDATE bot.spender SET
      ${Prisma.join(PERIODS.map((period) => Prisma.raw(`${PERIOD_COUNTERS[period]} = counted.${PERIOD_COUNTERS[period]}`)))},
      total_micro_rub = counted.total_micro_rub, reserved_micro_rub = counted.reserved_micro_rub
    FROM (${trueCounters(spend)}) AS counted
    WHERE spender.id = counted.id AND spender.id = ANY(${ids})`
}
