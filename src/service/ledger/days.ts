/** The days of a time zone, which PostgreSQL finds: a zone's rules change, and a day may have 23 hours. */
import type { Sql } from './sql.ts'

/** SQL of the instant at which a day begins. `day` and `timeZone` are SQL, too, such as `$1`. */
export function startOfDaySql({ day, timeZone }: { day: string; timeZone: string }): string {
  return `((${day})::date::timestamp AT TIME ZONE ${timeZone})`
}

/** @returns The instant at which a day is over. @param day `2026-11-22`. @param timeZone IANA name. */
export async function endOfDay(sql: Sql, day: string, timeZone: string): Promise<Date> {
  const next = startOfDaySql({ day: '$1::date + 1', timeZone: '$2' })
  const { rows } = await sql.query<{ at: Date }>(`SELECT ${next} AS at`, [day, timeZone])
  if (rows[0] === undefined) throw new TypeError('Cannot find end of day: no row')
  return rows[0].at
}

/** First and last day, both part of it. */
export interface DayRange {
  from: string
  to: string
}

/**
 * Fills in the missing days: the period ends today, by the database's clock, and has `days` days.
 *
 * @param days The length of a period without a first day.
 */
export async function readDayRange(
  sql: Sql,
  { from, to }: { [Day in keyof DayRange]: string | undefined },
  { days, timeZone }: { days: number; timeZone: string },
): Promise<DayRange> {
  const { rows } = await sql.query<DayRange>(
    `SELECT COALESCE($1::date, last - $3::int + 1)::text AS "from", last::text AS "to"
     FROM (SELECT COALESCE($2::date, (now() AT TIME ZONE $4)::date) AS last) AS period`,
    [from, to, days, timeZone],
  )
  if (rows[0] === undefined) throw new TypeError('Cannot read period: no row')
  return rows[0]
}
