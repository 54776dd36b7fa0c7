import { Prisma } from '../../../database/generated/client.ts'
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
    SELECT user_id, chat_id, kind, item, sum(charges)::int AS charges,
      sum(amount_micro_rub)::bigint AS amount_micro_rub,
      sum(estimated_micro_rub)::bigint AS estimated_micro_rub,
      sum(written_off_micro_rub)::bigint AS written_off_micro_rub,
      sum(history_micro_rub)::bigint AS history_micro_rub
    FROM ${days} GROUP BY user_id, chat_id, kind, item`
}

/**
 * SQL of what `spender` must say, on the day that each row is of.
 *
 * @param days A FROM item with the columns of `spend_day`.
 */
export function trueCounters(days: Prisma.Sql): Prisma.Sql {
  const counters = PERIODS.map((period) => {
    const isIn = Prisma.sql`${startOf(period, Prisma.sql`spent.day`)} = ${startOf(period, Prisma.sql`spender.day`)}`
    const name = Prisma.raw(PERIOD_COUNTERS[period])
    return Prisma.sql`coalesce(sum(spent.amount) FILTER (WHERE ${isIn}), 0)::bigint AS ${name}`
  })
  return Prisma.sql`
    SELECT id, ${Prisma.join(counters)},
      coalesce(sum(spent.amount), 0)::bigint AS total_micro_rub,
      coalesce(max(held.amount), 0)::bigint AS reserved_micro_rub
    FROM bot.spender FULL JOIN (
      SELECT subject.id, day, sum(amount_micro_rub) AS amount FROM ${days}, ${SUBJECTS}
      GROUP BY subject.id, day
    ) AS spent USING (id) FULL JOIN (
      SELECT subject.id, sum(amount_micro_rub) AS amount FROM bot.reservation, ${SUBJECTS}
      GROUP BY subject.id
    ) AS held USING (id)
    GROUP BY id`
}
