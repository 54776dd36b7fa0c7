/**
 * The columns of charges that are added up.
 *
 * `spend_day`, `spend_total` and `spend_date` have the same columns, but for whose and when; `spender` counts what a
 * user spent, and what was spent in a group. The SQL that adds a charge to them, rebuilds them and checks them is
 * made of these parts, so that they cannot mean different things.
 */
import { Prisma } from '../../../platform/database/generated/client.ts'
import { type Period, startOf } from '../calendar.ts'

/** The sums that are kept of the charges of one user, chat, kind and item. */
export const SUM_COLUMNS = [
  'charges',
  'amount_micro_rub',
  'estimated_micro_rub',
  'written_off_micro_rub',
  'history_micro_rub',
] as const

/** SQL of the sums of rows of `charge`, one by one as `SUM_COLUMNS`. */
export const SUMS = Prisma.sql`
  count(*) FILTER (WHERE reversal_of IS NULL) AS charges,
  sum(amount_micro_rub)::bigint AS amount_micro_rub,
  coalesce(sum(amount_micro_rub) FILTER (WHERE estimated), 0)::bigint AS estimated_micro_rub,
  (sum(written_off_micro_rub) + coalesce(-sum(amount_micro_rub) FILTER (WHERE written_off), 0))::bigint
    AS written_off_micro_rub,
  coalesce(sum(round(history_tokens::numeric * prompt_price_micro_rub / 1000000)), 0)::bigint
    AS history_micro_rub`

/** SQL that adds the row of a table to the one that was to be inserted. */
export function addUp(table: 'spend_day' | 'spend_total'): Prisma.Sql {
  const added = SUM_COLUMNS.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  return Prisma.raw(added.join(', '))
}

export const PERIODS = ['day', 'week', 'month'] as const satisfies Period[]

/** The counters of `spender` that begin at 0 again. */
export const PERIOD_COUNTERS = {
  day: 'day_micro_rub',
  week: 'week_micro_rub',
  month: 'month_micro_rub',
} as const satisfies Record<Period, string>

/**
 * SQL of a counter of `spender` as it stands on a day: 0 where a new period has begun since.
 *
 * @param row The row's name; it is not escaped.
 */
export function counterOn(period: Period, day: Prisma.Sql, row: string): Prisma.Sql {
  const counter = Prisma.raw(`${row}.${PERIOD_COUNTERS[period]}`)
  const counted = startOf(period, Prisma.raw(`${row}.day`))
  return Prisma.sql`CASE WHEN ${counted} = ${startOf(period, day)} THEN ${counter} ELSE 0 END`
}

/** SQL, after a comma in FROM, of the subjects that a row with `user_id` and `chat_id` counts for: its user, and a group. */
export const SUBJECTS = Prisma.sql`
  LATERAL (
    SELECT user_id UNION ALL SELECT chat_id WHERE chat_id < 0 AND chat_id <> user_id
  ) AS subject(id)`
