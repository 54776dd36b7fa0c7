import { readFileSync } from 'node:fs'
import { FluentBundle, FluentResource } from '@fluent/bundle'
import { markCodes } from './marks.ts'

/** Fluent formats numbers in the language: pass an id or a year as a string. */
export type TextVariables = Record<string, string | number>

export interface Texts {
  /**
   * Russian for a code that begins with `ru`, English for all others.
   *
   * Text between backticks in the files becomes a mark, which the outbox turns into formatting.
   *
   * @param languageCode As Telegram sends it: "en", "pt-br".
   * @throws {RangeError} If the text, or a variable of it, is missing.
   */
  t(languageCode: string | undefined, key: string, variables?: TextVariables): string
}

export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

export function toLanguage(languageCode: string | undefined): Language {
  return /^ru\b/i.test(languageCode ?? '') ? 'ru' : 'en'
}

export function createTexts(): Texts {
  const bundles = { en: readBundle('en'), ru: readBundle('ru') }
  return { t }

  function t(languageCode: string | undefined, key: string, variables: TextVariables = {}): string {
    const bundle = bundles[toLanguage(languageCode)]
    const pattern = bundle.getMessage(key)?.value
    if (!pattern) throw new RangeError(`Cannot write text "${key}": there is none`)
    const problems: Error[] = []
    const text = bundle.formatPattern(pattern, variables, problems)
    if (problems.length > 0) {
      throw new RangeError(`Cannot write text "${key}"`, { cause: problems[0] })
    }
    return text
  }
}

function readBundle(language: Language): FluentBundle {
  // The isolating marks are for mixed directions; both languages run left to right.
  const bundle = new FluentBundle(language, { useIsolating: false })
  const source = readFileSync(new URL(`${language}.ftl`, import.meta.url), 'utf8')
  const [problem] = bundle.addResource(new FluentResource(markCodes(source)))
  if (problem) throw new RangeError(`Cannot read texts "${language}"`, { cause: problem })
  return bundle
}
