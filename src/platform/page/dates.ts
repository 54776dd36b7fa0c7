import type { Language } from './language.ts'

/** Writes a date in a reader's language, the day first in each. */
export function formatDate(
  language: Language,
  options: Intl.DateTimeFormatOptions,
  at: Date,
): string {
  // American English has the month first.
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, options).format(at)
}

/** The option that shows a year, where that is not this one. */
export function yearUnlessThis(year: number): Intl.DateTimeFormatOptions {
  return year === new Date().getFullYear() ? {} : { year: 'numeric' }
}
