/**
 * The sums of all users for the dates that are over.
 *
 * Invariant: `spend_date` has all that was charged on the dates up to its last one. A date is added up once it has
 * been over for two more: until then somebody may charge on it, in another TIME_ZONE or in a transaction that began
 * before midnight. Those who charge write nothing here: they would all wait for one row, and all of them for a
 * process that is frozen with it.
 */
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'
import { SUM_COLUMNS } from './sums.ts'
import { trueDates } from './true-sums.ts'

type Reader = Pick<PrismaClient, '$queryRaw'>

/** Before the first date that any charge can have. */
const BEGINNING = '0001-01-01'

const NAMES = Prisma.raw(SUM_COLUMNS.join(', '))

/** Adds up the dates that are over. Of two at once the second finds them there. */
export async function addUpFinishedDates(
  prisma: Reader & Pick<PrismaClient, '$executeRaw'>,
  calendar: Pick<Calendar, 'today'>,
): Promise<void> {
  const last = await readLastFinishedDate(prisma)
  const days = Prisma.sql`(
    SELECT * FROM bot.spend_day WHERE day > ${last}::date AND day < ${calendar.today()} - 2) AS days`
  await prisma.$executeRaw`
    INSERT INTO bot.spend_date (day, kind, item, ${NAMES}) ${trueDates(days)} ON CONFLICT DO NOTHING`
}

/**
 * Rebuilds the sums that there are from those of users' days. Who adds up further dates meanwhile waits, and those
 * who read find the sums as they were until all are there.
 */
export async function rebuildFinishedDates(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`LOCK TABLE bot.spend_date IN SHARE ROW EXCLUSIVE MODE`
  const last = await readLastFinishedDate(tx)
  await tx.$executeRaw`DELETE FROM bot.spend_date`
  const days = Prisma.sql`(SELECT * FROM bot.spend_day WHERE day <= ${last}::date) AS days`
  await tx.$executeRaw`INSERT INTO bot.spend_date (day, kind, item, ${NAMES}) ${trueDates(days)}`
}

/**
 * Reads up to which date `spend_date` goes, for `allDates()`. By itself: PostgreSQL plans what it cannot see as a third
 * of all rows, and would read all of them.
 */
export async function readLastFinishedDate(prisma: Reader): Promise<string> {
  const [last] = await prisma.$queryRaw<{ day: string }[]>`SELECT ${LAST_FINISHED_DATE} AS day`
  return last?.day ?? BEGINNING
}

/** SQL of the same date, as text. */
export const LAST_FINISHED_DATE = Prisma.sql`
  coalesce((SELECT max(day)::text FROM bot.spend_date), ${BEGINNING})`

/**
 * SQL of a FROM item: what was spent by day, kind and item, by all users together; of the newest days by each.
 *
 * @param last A date that was read as the last finished one: also later it parts the two.
 */
export function allDates(last: string): Prisma.Sql {
  return Prisma.sql`(
    SELECT day, kind, item, ${NAMES} FROM bot.spend_date WHERE day <= ${last}::date
    UNION ALL
    SELECT day, kind, item, ${NAMES} FROM bot.spend_day WHERE day > ${last}::date
  ) AS spent_on`
}
