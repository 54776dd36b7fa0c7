import { language } from './language.ts'

const DAY_MS = 86_400_000

/** Returns 0 for today and 1 for yesterday. */
export function daysAgo(unixSeconds: number): number {
  // Rounded: days on which the clocks change have 23 or 25 hours.
  return Math.round((startOfDay(new Date()) - startOfDay(new Date(unixSeconds * 1000))) / DAY_MS)
}

function startOfDay(moment: Date): number {
  return new Date(moment).setHours(0, 0, 0, 0)
}

/** Formats a time of day: `14:05`. */
export function formatTime(unixSeconds: number): string {
  return format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, unixSeconds)
}

/** Formats a day: `12 November`; with its year if it is not the current one. */
export function formatDay(unixSeconds: number): string {
  return format({ day: 'numeric', month: 'long', ...yearOf(unixSeconds) }, unixSeconds)
}

/** Formats a moment of today by its time, any other by its day. */
export function formatMoment(unixSeconds: number): string {
  if (daysAgo(unixSeconds) === 0) return formatTime(unixSeconds)
  return format({ day: 'numeric', month: 'short', ...yearOf(unixSeconds) }, unixSeconds)
}

/** Formats an instant in full: `12 November 2026, 14:05:09`. */
export function formatInstant(unixSeconds: number): string {
  return format({ dateStyle: 'long', timeStyle: 'medium' }, unixSeconds)
}

function yearOf(unixSeconds: number): Intl.DateTimeFormatOptions {
  const year = new Date(unixSeconds * 1000).getFullYear()
  return year === new Date().getFullYear() ? {} : { year: 'numeric' }
}

function format(options: Intl.DateTimeFormatOptions, unixSeconds: number): string {
  // American English has the month first.
  const locale = language.value === 'en' ? 'en-GB' : language.value
  return new Intl.DateTimeFormat(locale, options).format(new Date(unixSeconds * 1000))
}

/** Formats a time of day with milliseconds: `14:05:09.120`. */
export function formatPreciseTime(unixMs: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(unixMs)
}

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const

/** Formats a size as Telegram's clients do, by 1,024: `12.4 MB`. */
export function formatSize(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_048_576 ? 1 : 2
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    maximumFractionDigits: power === 2 ? 1 : 0,
  }).format(bytes / 1_024 ** power)
}
