import type { InlineKeyboardMarkup } from 'grammy/types'
import { LANGUAGES, type Language, type Texts } from '../../locales/texts.ts'
import type { Users } from '../../people/users.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'
import { findNamed, type Named } from '../find-named.ts'

/** The data of a press below `/language`; `telegram` is the language of the user's app. */
const LANGUAGE_DATA = /^language:(en|ru|telegram)$/

/** Each is named as its readers call it. */
const NAMES = { en: 'English', ru: 'Русский' } as const

interface LanguageDeps {
  users: Pick<Users, 'chooseLanguage'>
  texts: Texts
}

/** Lets users choose the language in which the bot speaks to them: by a button, or by its name in either language. */
export const languageCommand: CommandDefinition<LanguageDeps> = {
  name: 'language',
  audience: 'everybody',
  usage: '[name]',
  create: (deps) => ({
    handle: (command) => handle(deps, command),
    presses: [{ data: LANGUAGE_DATA, press: (press) => takePress(deps, press) }],
  }),
}

/** The languages that a word may mean; null is Telegram's language. */
const MEANT: readonly Named<Language | null>[] = [
  ...LANGUAGES.map((code) => ({
    value: code,
    names: [code, NAMES[code], ...LANGUAGES.map((reader) => nameOf(code, reader))],
  })),
  { value: null, names: ['telegram'] },
]

async function handle(deps: LanguageDeps, command: Command): Promise<void> {
  const { argument, t, answer } = command
  const meant = argument === '' ? undefined : findNamed(argument, MEANT)
  if (meant === undefined) return answer(t('language-choose'), { keyboard: keyboardOf(t) })
  await answer(await choose(deps, command, meant))
}

async function takePress(deps: LanguageDeps, press: Press): Promise<void> {
  const chosen = LANGUAGES.find((known) => press.data === `language:${known}`) ?? null
  await press.notify(await choose(deps, press, chosen))
}

/**
 * Every user who presses chooses for themselves, also in a group.
 *
 * @returns What to say to it, in the language that was chosen.
 */
async function choose(
  { users, texts }: LanguageDeps,
  { user, telegramLanguageCode }: Pick<Command, 'user' | 'telegramLanguageCode'>,
  chosen: Language | null,
): Promise<string> {
  await users.chooseLanguage(user.id, chosen)
  return texts.t(chosen ?? telegramLanguageCode, 'language-chosen')
}

function nameOf(code: Language, reader: Language): string {
  return new Intl.DisplayNames(reader, { type: 'language' }).of(code) ?? code
}

function keyboardOf(t: Command['t']): InlineKeyboardMarkup {
  const named = LANGUAGES.map((code) => ({ text: NAMES[code], callback_data: `language:${code}` }))
  const telegrams = { text: t('language-telegram'), callback_data: 'language:telegram' }
  return { inline_keyboard: [named, [telegrams]] }
}
