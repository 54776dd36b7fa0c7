import { createLanguage } from '../../../../../platform/page/language.ts'
import type { Language } from '../../api.ts'
import { en, type Words } from './en.ts'
import { ru } from './ru.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en, ru }

/** The reader's language, the page's words in it, and how both change. */
export const {
  language,
  words,
  choose: chooseLanguage,
  setKnown: setKnownLanguage,
} = createLanguage({ key: 'language', words: WORDS })
