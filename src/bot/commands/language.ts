import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { MenuButtons } from '../admin/page/links.ts'
import type { Sender } from '../telegram/addressing.ts'
import { LANGUAGES, type Language, type Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import { findNamed, type Named } from './command.ts'
import { answerStep, editStep, type Step, type StepReader, valueButton } from './views.ts'

const LANGUAGE_DATA = /^language:(en|ru|telegram)$/

const NAMES = { en: 'English', ru: 'Русский' } as const

export interface LanguageApp {
  prisma: Pick<PrismaClient, 'user'>
  menus: Pick<MenuButtons, 'show'>
  texts: Texts
}

export const languageStep: Step<LanguageApp> = {
  name: 'language',
  async view({ prisma }, { user, t }) {
    const where = { id: user.id }
    const select = { language: true } as const
    const { language: chosen } = await prisma.user.findUniqueOrThrow({ where, select })
    const button = (text: string, language: Language | null) =>
      valueButton(text, {
        data: `language:${language ?? 'telegram'}`,
        isChosen: language === chosen,
      })
    return {
      text: t('language-choose'),
      buttons: [
        LANGUAGES.map((code) => button(NAMES[code], code)),
        [button(t('language-telegram'), null)],
      ],
    }
  },
}

/** Lets users choose the bot's language by a button, or by its name in either language. */
export const languageCommand: CommandDefinition<LanguageApp> = {
  name: 'language',
  audience: 'everybody',
  usage: '[name]',
  handle,
  presses: [{ data: LANGUAGE_DATA, press: takePress }],
}

const MEANT: readonly Named<Language | null>[] = [
  ...LANGUAGES.map((code) => ({
    value: code,
    names: [code, NAMES[code], ...LANGUAGES.map((reader) => nameOf(code, reader))],
  })),
  { value: null, names: ['telegram'] },
]

async function handle(app: LanguageApp, command: Command): Promise<void> {
  const { chatId, argument, answer } = command
  if (chatId < 0) return answer(command.t('command-private'))
  const meant = argument === '' ? undefined : findNamed(argument, MEANT)
  if (meant === undefined) return answerStep(languageStep, app, command)
  const { t, user } = await choose(app, command, meant)
  await answer(t('language-chosen'))
  await showMenus(app, user)
}

async function takePress(app: LanguageApp, press: Press): Promise<void> {
  const chosen = LANGUAGES.find((known) => press.match[1] === known) ?? null
  const reader = await choose(app, press, chosen)
  await press.notify(reader.t('language-chosen'))
  // An older message may be in a group, whose members each choose for themselves.
  if (press.chatId > 0) await editStep(languageStep, app, { ...press, ...reader })
  await showMenus(app, reader.user)
}

async function choose(
  { prisma, texts }: LanguageApp,
  { user, telegramLanguageCode }: Pick<Command, 'user' | 'telegramLanguageCode'>,
  chosen: Language | null,
): Promise<Pick<StepReader, 'user' | 't'>> {
  await prisma.user.update({ where: { id: user.id }, data: { language: chosen } })
  const languageCode = chosen ?? telegramLanguageCode
  return {
    user: { ...user, languageCode },
    t: (key, variables) => texts.t(languageCode, key, variables),
  }
}

async function showMenus({ menus }: LanguageApp, { id: userId, role, languageCode }: Sender) {
  if (role !== undefined) await menus.show({ userId, role, languageCode })
}

function nameOf(code: Language, reader: Language): string {
  return new Intl.DisplayNames(reader, { type: 'language' }).of(code) ?? code
}
