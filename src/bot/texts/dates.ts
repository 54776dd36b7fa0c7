import { markTime } from './marks.ts'
import { toLanguage } from './texts.ts'

/** Anything that lasts longer is shown as more than a year. */
export const YEAR_DAYS = 365

/** Writes an instant as its reader does, on the clock of the time zone: "21 Nov 2026, 16:20". */
export function formatInstant(
  at: Date,
  { languageCode, timeZone }: { languageCode: string | undefined; timeZone: string },
): string {
  const locale = toLanguage(languageCode) === 'ru' ? 'ru' : 'en-GB'
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const
  return new Intl.DateTimeFormat(locale, style).format(at)
}

/** Writes the same for a message: each reader sees it by their own clock, where Telegram draws times. */
export function markInstant(...written: Parameters<typeof formatInstant>): string {
  return markTime(formatInstant(...written), written[0])
}

/** The day of an instant on the clock of the time zone: "2026-11-21". */
export function dayOf(at: Date, timeZone: string): string {
  // Sweden writes dates as the standard does.
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(at)
}

/**
 * Writes a date as its reader does: "21 Nov 2026".
 *
 * @param date Such as "2026-11-21".
 */
export function formatDate(date: string, languageCode: string | undefined): string {
  const locale = toLanguage(languageCode) === 'ru' ? 'ru' : 'en-GB'
  const style = { dateStyle: 'medium', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, style).format(new Date(`${date}T00:00:00Z`))
}
