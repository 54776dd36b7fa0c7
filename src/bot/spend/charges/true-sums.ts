import { Prisma } from '../../../platform/database/generated/client.ts'
import { startOf } from '../calendar.ts'
import { PERIOD_COUNTERS, PERIODS, SUBJECTS, SUMS } from './sums.ts'

/** SQL of what `spend_day` must say of some charges. */
export function trueDays(which: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT user_id, chat_id, day, kind, item, ${SUMS} FROM bot.charge WHERE ${which}
    GROUP BY user_id, chat_id, day, kind, item`
}

/** SQL of what `spend_total` must say. @param days A FROM item with the columns of `spend_day`. */
export function trueTotals(days: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT user_id, chat_id, kind, item, ${ADDED_UP} FROM ${days}
    GROUP BY user_id, chat_id, kind, item`
}

/** SQL of what `spend_date` must say of some days. */
export function trueDates(days: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT day, kind, item, ${ADDED_UP} FROM ${days} GROUP BY day, kind, item`
}

const ADDED_UP = Prisma.sql`
  sum(charges)::int AS charges,
  sum(amount_micro_rub)::bigint AS amount_micro_rub,
  sum(estimated_micro_rub)::bigint AS estimated_micro_rub,
  sum(written_off_micro_rub)::bigint AS written_off_micro_rub,
  sum(history_micro_rub)::bigint AS history_micro_rub`

/**
 * SQL of what `spender` must say, on the day that each row is of.
 *
 * @param days A FROM item with the columns of `spend_day`.
 */
export function trueCounters(days: Prisma.Sql): Prisma.Sql {
  const starts = PERIODS.map(
    (period) => Prisma.sql`${startOf(period, Prisma.sql`day`)} AS ${Prisma.raw(`${period}_start`)}`,
  )
  const sums = PERIODS.map((period) => {
    // No charge is of a later day than its spenders' counters.
    const name = Prisma.raw(PERIOD_COUNTERS[period])
    return Prisma.sql`sum(amount_micro_rub) FILTER (WHERE day >= first.${Prisma.raw(`${period}_start`)}) AS ${name}`
  })
  const names = [...Object.values(PERIOD_COUNTERS), 'total_micro_rub', 'reserved_micro_rub']
  const counters = names.map((name) => `coalesce(${name}, 0)::bigint AS ${name}`)
  return Prisma.sql`
    SELECT id, ${Prisma.raw(counters.join(', '))}
    FROM (SELECT id FROM bot.spender) AS spender FULL JOIN (
      SELECT subject.id, ${Prisma.join(sums)}, sum(amount_micro_rub) AS total_micro_rub
      FROM ${days}, ${SUBJECTS}
        LEFT JOIN (SELECT id, ${Prisma.join(starts)} FROM bot.spender) AS first USING (id)
      GROUP BY subject.id
    ) AS spent USING (id) FULL JOIN (
      SELECT subject.id, sum(amount_micro_rub) AS reserved_micro_rub
      FROM bot.reservation, ${SUBJECTS} GROUP BY subject.id
    ) AS held USING (id)`
}

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
