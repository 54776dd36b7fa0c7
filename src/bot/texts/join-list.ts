import { toLanguage } from './texts.ts'

/** English without a comma before the last "and", as all its texts are. */
const LOCALES = { en: 'en-GB', ru: 'ru' } as const

/** Joins words to a list, as the language writes it: "videos, pictures and sounds", "/video or /image". */
export function joinList(
  languageCode: string | undefined,
  words: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  return new Intl.ListFormat(LOCALES[toLanguage(languageCode)], { type }).format(words)
}
