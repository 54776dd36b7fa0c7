import { computed, signal } from '@preact/signals'

/** The languages that the pages speak. */
export type Language = 'en' | 'ru'

/**
 * Wires a page's language: the reader's choice here, else the one that is known of them elsewhere, else the browser's.
 * English for any other.
 *
 * @param key Name under which this browser keeps the choice.
 */
export function createLanguage<Words>({
  key,
  words: wordsOf,
}: {
  key: string
  words: Readonly<Record<Language, Words>>
}) {
  const chosen = signal<Language | undefined>(toLanguage(localStorage.getItem(key)))
  const known = signal<string | undefined>(undefined)
  const language = computed<Language>(
    () => chosen.value ?? toLanguage(known.value) ?? toLanguage(navigator.language) ?? 'en',
  )
  const words = computed<Words>(() => wordsOf[language.value])
  return { language, words, choose, setKnown, followOtherTabs }

  function choose(to: Language): void {
    localStorage.setItem(key, to)
    chosen.value = to
  }

  /** Sets the language that the reader has elsewhere; a choice made here stands above it. */
  function setKnown(code: string | null | undefined): void {
    known.value = code ?? known.value
  }

  function followOtherTabs(): void {
    addEventListener('storage', ({ key: changed, newValue }) => {
      if (changed === key) chosen.value = toLanguage(newValue)
    })
  }
}

function toLanguage(code: string | null | undefined): Language | undefined {
  if (code == null || code === '') return undefined
  return /^ru\b/i.test(code) ? 'ru' : 'en'
}

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
