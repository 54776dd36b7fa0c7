import { Prisma } from '../../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import type { Calendar } from '../calendar.ts'
import { counterOn } from '../charges/sums.ts'

/** A limit that holds for a user or a group, and what counts against it now. */
export interface HeldLimit {
  subjectId: bigint
  period: LimitPeriod
  /** Null: none, even where there is a default. */
  amountMicroRub: bigint | null
  isOwn: boolean
  /** Below zero where more was taken back in the period than charged. */
  spentMicroRub: bigint
  reservedMicroRub: bigint
  resetsAt: Date | null
  /** True if admins have lifted all limits of the user or the group until midnight. */
  isLifted: boolean
}

/**
 * SQL of the limits that hold for spenders: a row as `HeldLimit` for each of them and each period that
 * has one. The own limit of a period comes before the default, and for admins no default holds.
 *
 * @param spenders A table expression with the columns of `bot.spender`.
 */
export function heldLimits(
  spenders: Prisma.Sql,
  { calendar, adminIds }: { calendar: Calendar; adminIds: ReadonlySet<number> },
): Prisma.Sql {
  const today = calendar.today()
  return Prisma.sql`
    SELECT spender.id AS "subjectId", held.period, held.amount_micro_rub AS "amountMicroRub",
      held.is_own AS "isOwn", spender.reserved_micro_rub AS "reservedMicroRub",
      CASE held.period
        WHEN 'day' THEN ${counterOn('day', today, 'spender')}
        WHEN 'week' THEN ${counterOn('week', today, 'spender')}
        WHEN 'month' THEN ${counterOn('month', today, 'spender')}
        ELSE spender.total_micro_rub
      END AS "spentMicroRub",
      CASE held.period
        WHEN 'day' THEN ${calendar.endOf('day')}
        WHEN 'week' THEN ${calendar.endOf('week')}
        WHEN 'month' THEN ${calendar.endOf('month')}
      END AS "resetsAt",
      coalesce(spender.unlimited_on = ${today}, false) AS "isLifted"
    FROM ${spenders} AS spender
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (period) period, amount_micro_rub, subject_id = spender.id AS is_own
      FROM bot.spend_limit
      WHERE subject_id = spender.id OR (
        subject_id = CASE WHEN spender.id < 0 THEN -1 ELSE 0 END
        AND spender.id <> ALL (${[...adminIds]}::bigint[]) AND NOT EXISTS (
          SELECT FROM bot."user"
          WHERE "user".id = spender.id AND role = 'admin' AND admission IS DISTINCT FROM 'blocked'))
      ORDER BY period, subject_id = spender.id DESC
    ) AS held`
}
