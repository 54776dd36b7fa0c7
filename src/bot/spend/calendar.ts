import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'

/** Stretches of time after which a counter begins at 0; a week begins on Monday. */
export type Period = 'day' | 'week' | 'month'

/** Days up to and with today: the period's so far, or the last ones. */
export type Days = Period | { last: number }

/**
 * The days of one time zone: when a charge counts, and when a limit's next period begins.
 *
 * PostgreSQL finds them, by its own clock: a zone's rules change, a day may have 23 hours, and the clocks
 * of processes differ.
 */
export function createCalendar({
  timeZone,
  now,
}: {
  /** An IANA name: "Europe/Moscow". */
  timeZone: string
  now?: () => Date
}) {
  return { timeZone, fixedNow: now, today, dateOf, firstOf, beginOf, endOf, readDays, readPeriods }

  function today(): Prisma.Sql {
    return dateOf(now ? Prisma.sql`${now()}::timestamptz` : Prisma.sql`now()`)
  }

  function dateOf(instant: Prisma.Sql): Prisma.Sql {
    return Prisma.sql`(${instant} AT TIME ZONE ${timeZone})::date`
  }

  function firstOf(days: Days): Prisma.Sql {
    if (typeof days === 'string') return startOf(days, today())
    return Prisma.sql`(${today()} - ${days.last - 1}::int)`
  }

  function beginOf(period: Period): Prisma.Sql {
    return Prisma.sql`((${startOf(period, today())})::timestamp AT TIME ZONE ${timeZone})`
  }

  function endOf(period: Period): Prisma.Sql {
    const next = Prisma.sql`${startOf(period, today())} + ${`1 ${period}`}::interval`
    return Prisma.sql`((${next}) AT TIME ZONE ${timeZone})`
  }

  /** @returns The first and the last date of such days, as `2026-11-22`. */
  async function readDays(
    prisma: Pick<PrismaClient, '$queryRaw'>,
    days: Days,
  ): Promise<{ from: string; to: string }> {
    const [read] = await prisma.$queryRaw<{ from: string; to: string }[]>`
      SELECT ${firstOf(days)}::text AS "from", ${today()}::text AS "to"`
    if (!read) throw new TypeError('Cannot read days: a date without a row')
    return read
  }

  /** Reads when the present periods began, and when the next ones begin. */
  async function readPeriods(
    prisma: Pick<PrismaClient, '$queryRaw'>,
  ): Promise<Readonly<Record<Period, { beganAt: Date; resetsAt: Date }>>> {
    const [read] = await prisma.$queryRaw<Record<`${Period}${'' | 'End'}`, Date>[]>`
      SELECT ${beginOf('day')} AS day, ${beginOf('week')} AS week, ${beginOf('month')} AS month,
        ${endOf('day')} AS "dayEnd", ${endOf('week')} AS "weekEnd", ${endOf('month')} AS "monthEnd"`
    if (!read) throw new TypeError('Cannot read periods: a time without a row')
    return {
      day: { beganAt: read.day, resetsAt: read.dayEnd },
      week: { beganAt: read.week, resetsAt: read.weekEnd },
      month: { beganAt: read.month, resetsAt: read.monthEnd },
    }
  }
}

export type Calendar = ReturnType<typeof createCalendar>

/** SQL of the date on which a date's period began. */
function startOf(period: Period, day: Prisma.Sql): Prisma.Sql {
  if (period === 'day') return day
  // Of a timestamp without a zone: the session's own would come in otherwise.
  return Prisma.sql`date_trunc(${period}::text, (${day})::timestamp)::date`
}
