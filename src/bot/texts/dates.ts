import { markTime } from './marks.ts'
import { toLanguage } from './texts.ts'

/** Longer durations appear as more than a year. */
export const YEAR_DAYS = 365

/** Writes an instant in the reader's format and the time zone: "21 Nov 2026, 16:20". */
export function formatInstant(
  at: Date,
  { languageCode, timeZone }: { languageCode: string | undefined; timeZone: string },
): string {
  const locale = toLanguage(languageCode) === 'ru' ? 'ru' : 'en-GB'
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const
  return new Intl.DateTimeFormat(locale, style).format(at)
}

/** Writes an instant for a message: apps that draw times show it in the reader's own zone. */
export function markInstant(...written: Parameters<typeof formatInstant>): string {
  return markTime(formatInstant(...written), written[0])
}

/** The day of an instant in the time zone: "2026-11-21". */
export function dayOf(at: Date, timeZone: string): string {
  // Sweden uses ISO 8601 dates.
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(at)
}

/** Writes "2026-11-21" in the reader's format: "21 Nov 2026". */
export function formatDate(date: string, languageCode: string | undefined): string {
  const locale = toLanguage(languageCode) === 'ru' ? 'ru' : 'en-GB'
  const style = { dateStyle: 'medium', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, style).format(new Date(`${date}T00:00:00Z`))
}
