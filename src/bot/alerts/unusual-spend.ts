import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Calendar } from '../spend/calendar.ts'

/** Less in a day is not worth an alert. */
const WORTH_TELLING_MICRO_RUB = 100_000_000n

/** A user with fewer days to go by is compared with all users. */
const OWN_DAYS_MIN = 3
const DAYS = 30
const USERS_MAX = 10

/** A user who has spent several times the usual today. */
export interface UnusualSpend {
  userId: bigint
  firstName: string
  username: string | null
  todayMicroRub: bigint
  usualMicroRub: bigint
  /** When the user was charged last. */
  chargedAt: Date
}

/**
 * Finds who has spent at least so many times the usual today, most of it first; under ₽100 no one.
 *
 * The usual is the median of the user's own days with spend among the last 30, today left out; where those
 * are fewer than three, of everybody's. Without any such day there is none.
 */
export async function findUnusualSpend(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { times, calendar }: { times: number; calendar: Pick<Calendar, 'today'> },
): Promise<UnusualSpend[]> {
  const today = calendar.today()
  return prisma.$queryRaw<UnusualSpend[]>`
    WITH spent AS (
      SELECT user_id, sum(amount_micro_rub)::bigint AS amount
      FROM bot.spend_day WHERE day = ${today}
      GROUP BY user_id HAVING sum(amount_micro_rub) >= ${WORTH_TELLING_MICRO_RUB}
    ), compared AS (
      SELECT user_id, amount, coalesce(
        (SELECT CASE WHEN count(*) >= ${OWN_DAYS_MIN}
           THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY sum) END
         FROM (SELECT sum(amount_micro_rub)::bigint FROM bot.spend_day
               WHERE user_id = spent.user_id AND day < ${today} AND day >= ${today} - ${DAYS}::int
               GROUP BY day HAVING sum(amount_micro_rub) > 0) AS own),
        (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY sum)
         FROM (SELECT sum(amount_micro_rub)::bigint FROM bot.spend_day
               WHERE day < ${today} AND day >= ${today} - ${DAYS}::int
               GROUP BY user_id, day HAVING sum(amount_micro_rub) > 0) AS everybody)) AS usual
      FROM spent
    )
    SELECT user_id AS "userId", first_name AS "firstName", username,
      amount AS "todayMicroRub", usual AS "usualMicroRub",
      (SELECT max(created_at) FROM bot.charge WHERE charge.user_id = compared.user_id) AS "chargedAt"
    FROM compared JOIN bot."user" ON "user".id = user_id
    WHERE amount >= usual * ${times}::int
    ORDER BY amount DESC, user_id LIMIT ${USERS_MAX}`
}
