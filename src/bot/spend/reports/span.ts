import type { Days } from '../calendar.ts'

/** The time that a report covers: today, the last 7 or 30 days with today, this month so far, or all time. */
export const SPANS = ['today', '7d', '30d', 'month', 'all'] as const
export type ReportSpan = (typeof SPANS)[number]

/** The days of a span; undefined for all of them. */
export function daysOf(span: ReportSpan): Days | undefined {
  switch (span) {
    case 'today':
      return 'day'
    case '7d':
      return { last: 7 }
    case '30d':
      return { last: 30 }
    case 'month':
      return 'month'
    case 'all':
      return undefined
  }
}

/** The first and the last date of a report, such as "2026-11-22". */
export interface DateRange {
  from: string | undefined
  to: string
}

/** Every date from the first to the last. */
export function listDates(from: string, to: string): string[] {
  const dates: string[] = []
  const at = new Date(`${from}T00:00:00Z`)
  for (;;) {
    const date = at.toISOString().slice(0, 10)
    if (date > to) return dates
    dates.push(date)
    at.setUTCDate(at.getUTCDate() + 1)
  }
}
