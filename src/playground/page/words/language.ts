import { createLanguage, type Language } from '../../../platform/page/language.ts'
import { en, type Words } from './en.ts'
import { ru } from './ru.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en, ru }

export const {
  language,
  words,
  choose: chooseLanguage,
  followOtherTabs: followLanguageChoice,
} = createLanguage({ key: 'playground.language', words: WORDS })
