import { readFileSync } from 'node:fs'
import { FluentBundle, FluentResource } from '@fluent/bundle'
import { markCodes } from './marks.ts'

/** Numbers are written as the language writes them: pass an id or a year as a string. */
export type TextVariables = Record<string, string | number>

/** Everything the bot says by itself, in the reader's language. */
export interface Texts {
  /**
   * Russian for a code that begins with `ru`, English for any other and for none. What a tap is to copy, between backticks
   * in the files, comes with marks: the outbox makes them formatting.
   *
   * @param languageCode As Telegram gives it: "en", "pt-br".
   * @throws {RangeError} If there is no such text, or a variable of it is missing.
   */
  t(languageCode: string | undefined, key: string, variables?: TextVariables): string
}

export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** The language of ours that serves a reader. */
export function toLanguage(languageCode: string | undefined): Language {
  return /^ru\b/i.test(languageCode ?? '') ? 'ru' : 'en'
}

/** Reads the two files beside this one. */
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
