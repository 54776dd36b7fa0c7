import { formatDate, yearUnlessThis } from '../../../../../platform/page/language.ts'
import type { Day, Instant } from '../../api.ts'
import { language } from './language.ts'

/** Writes a day: `12 Nov`; with its year where that is not this one's. */
export function formatDay(day: Day): string {
  return formatShortDay(day, yearUnlessThis(Number(day.slice(0, 4))))
}

/** Writes a day without its year, for a chart. */
export function formatShortDay(day: Day, year: Intl.DateTimeFormatOptions = {}): string {
  return format({ day: 'numeric', month: 'short', timeZone: 'UTC', ...year }, `${day}T00:00:00Z`)
}

/** Writes an instant by the bot's clock: `12 Nov, 14:05`. The page's counterpart of formatInstant() in bot/locales/dates.ts. */
export function formatInstant(at: Instant, timeZone: string): string {
  const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  return format({ ...parts, hourCycle: 'h23', timeZone }, at)
}

/** Writes a share: `12 %`. A share that is not nothing is never shown as nothing. */
export function formatShare(share: number): string {
  const percent = new Intl.NumberFormat(language.value, { style: 'percent' })
  return share > 0 && share < 0.005 ? `< ${percent.format(0.01)}` : percent.format(share)
}

/** Writes a whole hour: `09:00`. */
export function formatHour(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}

function format(options: Intl.DateTimeFormatOptions, instant: string): string {
  return formatDate(language.value, options, new Date(instant))
}
