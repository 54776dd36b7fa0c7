import { toLanguage } from './texts.ts'

/** British English has no comma before the last "and", like all our texts. */
const LOCALES = { en: 'en-GB', ru: 'ru' } as const

/** Joins words to a list in the language: "videos, pictures and sounds", "/video or /image". */
export function joinList(
  languageCode: string | undefined,
  words: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  return new Intl.ListFormat(LOCALES[toLanguage(languageCode)], { type }).format(words)
}
