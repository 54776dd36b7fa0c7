import { computed, signal } from '@preact/signals'
import { en, type Words } from './en.ts'
import { ru } from './ru.ts'

/** The languages that the page speaks. */
export type Language = 'en' | 'ru'

export const WORDS: Readonly<Record<Language, Words>> = { en, ru }

const KEY = 'playground.language'

const chosen = signal<Language | undefined>(toLanguage(localStorage.getItem(KEY)))

/** What the person chose here, else the browser's. English for any other. */
export const language = computed<Language>(
  () => chosen.value ?? toLanguage(navigator.language) ?? 'en',
)

/** The page's words in the person's language. */
export const words = computed<Words>(() => WORDS[language.value])

/** Keeps the choice in this browser. */
export function chooseLanguage(to: Language): void {
  localStorage.setItem(KEY, to)
  chosen.value = to
}

/** Follows a choice that is made in another tab. */
export function followLanguageChoice(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY) chosen.value = toLanguage(newValue)
  })
}

function toLanguage(code: string | null): Language | undefined {
  if (code === null || code === '') return undefined
  return /^ru\b/i.test(code) ? 'ru' : 'en'
}
