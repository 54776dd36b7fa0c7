import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'

/** A week begins on Monday. */
export type Period = 'day' | 'week' | 'month'

/** Days up to today, including today. */
export type Days = Period | { last: number }

/**
 * PostgreSQL finds the days, by its own clock: a zone's rules change, a day may have 23 hours, and the clocks of
 * processes differ.
 */
export function createCalendar({
  timeZone,
  now,
}: {
  /** An IANA name: "Europe/Moscow". */
  timeZone: string
  now?: () => Date
}) {
  return { today, dateOf, firstOf, readDays, readPeriods }

  function today(): Prisma.Sql {
    return dateOf(now ? Prisma.sql`${now()}::timestamptz` : Prisma.sql`now()`)
  }

  function dateOf(instant: Prisma.Sql): Prisma.Sql {
    return Prisma.sql`(${instant} AT TIME ZONE ${timeZone})::date`
  }

  function firstOf(days: Days): Prisma.Sql {
    if (days === 'day') return today()
    if (typeof days === 'object') return Prisma.sql`(${today()} - ${days.last - 1}::int)`
    // The date is truncated as a timestamp without a zone: otherwise the session's own zone would count.
    return Prisma.sql`date_trunc(${days}::text, (${today()})::timestamp)::date`
  }

  /** Returns the first and the last date, such as "2026-11-22". */
  async function readDays(
    prisma: Pick<PrismaClient, '$queryRaw'>,
    days: Days,
  ): Promise<{ from: string; to: string }> {
    const [read] = await prisma.$queryRaw<{ from: string; to: string }[]>`
      SELECT ${firstOf(days)}::text AS "from", ${today()}::text AS "to"`
    if (!read) throw new TypeError('Cannot read days: a date without a row')
    return read
  }

  async function readPeriods(
    prisma: Pick<PrismaClient, '$queryRaw'>,
  ): Promise<Readonly<Record<Period, { beganAt: Date; resetsAt: Date }>>> {
    const bounds = (['day', 'week', 'month'] as const).map((period) => {
      const first = Prisma.sql`(${firstOf(period)})::timestamp`
      return Prisma.sql`
        SELECT ${period} AS period, ${first} AT TIME ZONE ${timeZone} AS "beganAt",
          (${first} + ${`1 ${period}`}::interval) AT TIME ZONE ${timeZone} AS "resetsAt"`
    })
    const read = await prisma.$queryRaw<{ period: Period; beganAt: Date; resetsAt: Date }[]>`
      ${Prisma.join(bounds, ' UNION ALL ')}`
    const of = (period: Period) => {
      const found = read.find((row) => row.period === period)
      if (found === undefined) throw new TypeError('Cannot read periods: a time without a row')
      return { beganAt: found.beganAt, resetsAt: found.resetsAt }
    }
    return { day: of('day'), week: of('week'), month: of('month') }
  }
}

export type Calendar = ReturnType<typeof createCalendar>
