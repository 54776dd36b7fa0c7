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

/** Writes when something was, as shortly as it can be told: today's by the time, others by the day. */
export function formatMoment(unixSeconds: number): string {
  if (daysAgo(unixSeconds) === 0) return formatTime(unixSeconds)
  return format({ day: 'numeric', month: 'short', ...yearOf(unixSeconds) }, unixSeconds)
}

/** Writes an instant whole, for a title: `12 November 2026, 14:05:09`. */
export function formatInstant(unixSeconds: number): string {
  return format({ dateStyle: 'long', timeStyle: 'medium' }, unixSeconds)
}

function yearOf(unixSeconds: number): Intl.DateTimeFormatOptions {
  const isThisYear = new Date(unixSeconds * 1000).getFullYear() === new Date().getFullYear()
  return isThisYear ? {} : { year: 'numeric' }
}

function format(options: Intl.DateTimeFormatOptions, unixSeconds: number): string {
  // British English, for the day to come first in both languages.
  const locale = language.value === 'en' ? 'en-GB' : language.value
  return new Intl.DateTimeFormat(locale, options).format(unixSeconds * 1000)
}
