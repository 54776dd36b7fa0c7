import type { RichTextDateTime } from 'grammy/types'

type Format = RichTextDateTime['date_time_format']

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * Writes a moment by its format: `r` counts from now, else `w` is the day of the week, `d` and `D` the date
 * and `t` and `T` the time, each short and long.
 *
 * @param unixTime In seconds, as the Bot API has it.
 * @returns Undefined for an empty format, which leaves the text as its author wrote it.
 */
export function formatDateTime(
  { unixTime, format, language }: { unixTime: number; format: Format; language: string },
  now = Date.now(),
): string | undefined {
  if (format === '') return undefined
  if (format === 'r') return formatRelative(unixTime - now / 1000, language)
  const has = (letter: string) => format.includes(letter)
  const options: Intl.DateTimeFormatOptions = {
    ...(has('w') && { weekday: has('d') ? 'short' : 'long' }),
    ...(has('d') && { day: '2-digit', month: '2-digit', year: '2-digit' }),
    ...(has('D') && { day: 'numeric', month: 'long', year: 'numeric' }),
    ...((has('t') || has('T')) && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    ...(has('T') && { second: '2-digit' }),
  }
  return new Intl.DateTimeFormat(language, options).format(new Date(unixTime * 1000))
}

function formatRelative(seconds: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const size = Math.abs(seconds)
  if (size < MINUTE) return format.format(Math.round(seconds), 'second')
  if (size < HOUR) return format.format(Math.round(seconds / MINUTE), 'minute')
  if (size < DAY) return format.format(Math.round(seconds / HOUR), 'hour')
  if (size < 30 * DAY) return format.format(Math.round(seconds / DAY), 'day')
  if (size < 365 * DAY) return format.format(Math.round(seconds / (30 * DAY)), 'month')
  return format.format(Math.round(seconds / (365 * DAY)), 'year')
}
