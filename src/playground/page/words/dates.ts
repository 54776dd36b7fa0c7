import { formatDate, yearUnlessThis } from '../../../platform/page/dates.ts'
import { language } from './language.ts'
import { daysAgo } from './today.ts'

/** Writes a time of day by the clock of this machine: `14:05`. */
export function formatTime(unixSeconds: number): string {
  return format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, unixSeconds)
}

/** Writes a day: `12 November`; with its year where that is not this one's. */
export function formatDay(unixSeconds: number): string {
  return format({ day: 'numeric', month: 'long', ...yearOf(unixSeconds) }, unixSeconds)
}

/** Writes when something was, as shortly as it can be: today's by the time, others by the day. */
export function formatMoment(unixSeconds: number): string {
  if (daysAgo(unixSeconds) === 0) return formatTime(unixSeconds)
  return format({ day: 'numeric', month: 'short', ...yearOf(unixSeconds) }, unixSeconds)
}

/** Writes an instant whole, for a title: `12 November 2026, 14:05:09`. */
export function formatInstant(unixSeconds: number): string {
  return format({ dateStyle: 'long', timeStyle: 'medium' }, unixSeconds)
}

function yearOf(unixSeconds: number): Intl.DateTimeFormatOptions {
  return yearUnlessThis(new Date(unixSeconds * 1000).getFullYear())
}

function format(options: Intl.DateTimeFormatOptions, unixSeconds: number): string {
  return formatDate(language.value, options, new Date(unixSeconds * 1000))
}
