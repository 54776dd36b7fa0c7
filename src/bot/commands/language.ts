import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Users } from '../access/users.ts'
import { LANGUAGES, type Texts } from '../locales/texts.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import type { Command, CommandHandler } from './command.ts'

/** What a press below `/language` says; `telegram` is the language of the user's app. */
export const LANGUAGE_DATA = /^language:(en|ru|telegram)$/

/** Each is named as its readers call it. */
const NAMES = { en: 'English', ru: 'Русский' } as const

export interface LanguageDeps {
  users: Pick<Users, 'chooseLanguage'>
  outbox: Pick<Outbox, 'answerButton'>
  texts: Texts
}

export interface LanguagePress {
  callbackQueryId: string
  data: string
  userId: number
  /** Of Telegram's app. */
  telegramLanguageCode: string | undefined
}

/** Lets users choose the language in which the bot speaks to them. */
export function createLanguage({ users, outbox, texts }: LanguageDeps) {
  const language: CommandHandler = async ({ t, answer }) => {
    await answer(t('language-choose'), { keyboard: keyboardOf(t) })
  }
  return { language, press }

  /** Whoever presses chooses for themselves, also in a group. */
  async function press(pressed: LanguagePress): Promise<void> {
    const { callbackQueryId, data, userId, telegramLanguageCode } = pressed
    const chosen = LANGUAGES.find((known) => data === `language:${known}`) ?? null
    await users.chooseLanguage(userId, chosen)
    const notice = texts.t(chosen ?? telegramLanguageCode, 'language-chosen')
    await outbox.answerButton(callbackQueryId, notice)
  }
}

function keyboardOf(t: Command['t']): InlineKeyboardMarkup {
  const named = LANGUAGES.map((code) => ({ text: NAMES[code], callback_data: `language:${code}` }))
  const telegrams = { text: t('language-telegram'), callback_data: 'language:telegram' }
  return { inline_keyboard: [named, [telegrams]] }
}
