import type { InlineKeyboardMarkup } from 'grammy/types'
import { LANGUAGES, type Texts } from '../../locales/texts.ts'
import type { Users } from '../../users.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'

/** What a press below `/language` says; `telegram` is the language of the user's app. */
const LANGUAGE_DATA = /^language:(en|ru|telegram)$/

/** Each is named as its readers call it. */
const NAMES = { en: 'English', ru: 'Русский' } as const

interface LanguageDeps {
  users: Pick<Users, 'chooseLanguage'>
  texts: Texts
}

/** Lets users choose the language in which the bot speaks to them. */
export const languageCommand: CommandDefinition<LanguageDeps> = {
  name: 'language',
  audience: 'everybody',
  create: (deps) => ({
    handle: ({ t, answer }) => answer(t('language-choose'), { keyboard: keyboardOf(t) }),
    presses: [{ data: LANGUAGE_DATA, press: (press) => choose(deps, press) }],
  }),
}

/** Every user who presses chooses for themselves, also in a group. */
async function choose(
  { users, texts }: LanguageDeps,
  { data, user, telegramLanguageCode, notify }: Press,
): Promise<void> {
  const chosen = LANGUAGES.find((known) => data === `language:${known}`) ?? null
  await users.chooseLanguage(user.id, chosen)
  await notify(texts.t(chosen ?? telegramLanguageCode, 'language-chosen'))
}

function keyboardOf(t: Command['t']): InlineKeyboardMarkup {
  const named = LANGUAGES.map((code) => ({ text: NAMES[code], callback_data: `language:${code}` }))
  const telegrams = { text: t('language-telegram'), callback_data: 'language:telegram' }
  return { inline_keyboard: [named, [telegrams]] }
}
