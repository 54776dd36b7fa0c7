import { computed, signal } from '@preact/signals'
import type { Language } from '../../api.ts'
import { en, type Words } from './en.ts'
import { ru } from './ru.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en, ru }

const KEY = 'language'

const chosen = signal<Language | undefined>(toLanguage(localStorage.getItem(KEY)))
const told = signal<string | undefined>(undefined)

/** What the reader chose here; else what the bot or Telegram told; else the browser's. English for any other. */
export const language = computed<Language>(
  () => chosen.value ?? toLanguage(told.value) ?? toLanguage(navigator.language) ?? 'en',
)

/** The page's words in the reader's language. */
export const words = computed<Words>(() => WORDS[language.value])

/** Keeps the reader's choice in this browser. */
export function chooseLanguage(to: Language): void {
  localStorage.setItem(KEY, to)
  chosen.value = to
}

/** Tells which language the reader has elsewhere; a choice made here stands above it. */
export function tellLanguage(code: string | null | undefined): void {
  told.value = code ?? told.value
}

function toLanguage(code: string | null | undefined): Language | undefined {
  if (code == null || code === '') return undefined
  return /^ru\b/i.test(code) ? 'ru' : 'en'
}
