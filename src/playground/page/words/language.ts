import { computed, signal } from '@preact/signals'
import { en, type Words } from './en.ts'
import { ru } from './ru.ts'

export type Language = 'en' | 'ru'

export const WORDS: Readonly<Record<Language, Words>> = { en, ru }

/** The name under which this browser keeps the choice. */
const KEY = 'playground.language'

const chosen = signal(toLanguage(localStorage.getItem(KEY)))

/** The language that the visitor chose, else the browser's. English for any other. */
export const language = computed<Language>(
  () => chosen.value ?? toLanguage(navigator.language) ?? 'en',
)

export const words = computed<Words>(() => WORDS[language.value])

export function chooseLanguage(to: Language): void {
  localStorage.setItem(KEY, to)
  chosen.value = to
}

/** Takes over the choice of another tab. */
export function followLanguageChoice(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY) chosen.value = toLanguage(newValue)
  })
}

function toLanguage(code: string | null): Language | undefined {
  if (code === null || code === '') return undefined
  return /^ru\b/i.test(code) ? 'ru' : 'en'
}
