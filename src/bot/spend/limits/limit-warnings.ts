import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'
import { type HeldLimit, heldLimits } from './held-limits.ts'
import { NEAR_PERCENT, type Spending } from './limits.ts'

export interface LimitWarningsDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  calendar: Calendar
  adminIds: ReadonlySet<number>
}

/** Finds out when users and groups are near their limits, once for each limit and period. */
export function createLimitWarnings({ prisma, calendar, adminIds }: LimitWarningsDeps) {
  return { claim }

  /**
   * Takes the limits, the user's and the group's, of which most is spent and that were not warned of yet.
   *
   * Invariant: of several processes that charge at once one is given a limit: the row has the amount and
   * the period of the warning, and the process that writes it second finds it written. A limit that was changed is
   * another one.
   */
  function claim({ userId, chatId }: Spending): Promise<HeldLimit[]> {
    const spenders = Prisma.sql`(
      SELECT * FROM bot.spender
      WHERE id = ${userId} OR id = ${chatId}::bigint AND id < 0)`
    return prisma.$queryRaw<HeldLimit[]>`
      WITH near AS (
        SELECT * FROM (${heldLimits(spenders, { calendar, adminIds })}) AS held
        WHERE NOT "isLifted" AND "amountMicroRub" > 0
          AND "spentMicroRub" * 100 >= "amountMicroRub" * ${NEAR_PERCENT}::bigint
      ), warned AS (
        INSERT INTO bot.limit_warning (subject_id, period, amount_micro_rub, resets_at)
        SELECT "subjectId", period, "amountMicroRub", "resetsAt" FROM near ORDER BY 1, 2
        ON CONFLICT (subject_id, period) DO UPDATE
          SET amount_micro_rub = excluded.amount_micro_rub, resets_at = excluded.resets_at
          WHERE (limit_warning.amount_micro_rub, limit_warning.resets_at)
            IS DISTINCT FROM (excluded.amount_micro_rub, excluded.resets_at)
        RETURNING subject_id, period
      )
      SELECT near.* FROM near JOIN warned ON warned.subject_id = "subjectId" AND warned.period = near.period
      ORDER BY "subjectId", near.period`
  }
}

export type LimitWarnings = ReturnType<typeof createLimitWarnings>
