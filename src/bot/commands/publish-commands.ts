import { type Api, GrammyError } from 'grammy'
import type { BotCommandScope } from 'grammy/types'
import { LANGUAGES, type Texts } from '../locales/texts.ts'
import type { CommandFacts } from './command.ts'

const SCOPES = ['default', 'all_private_chats', 'all_group_chats'] as const

/**
 * Tells Telegram the menu of commands: one for everybody, in private chats and in groups,
 * and a longer one in the admins' own chats.
 *
 * English is set without a language, for users who read neither. Safe to repeat.
 */
export async function publishCommands(
  api: Pick<Api, 'setMyCommands'>,
  {
    commands,
    adminIds,
    texts,
  }: { commands: readonly CommandFacts[]; adminIds: ReadonlySet<number>; texts: Texts },
): Promise<void> {
  const shown = commands.filter(({ isHidden }) => !isHidden)
  const forEverybody = shown.filter(({ audience }) => audience === 'everybody')
  for (const type of SCOPES) await publish({ type }, forEverybody)
  for (const adminId of adminIds) {
    try {
      await publish({ type: 'chat', chat_id: adminId }, shown)
    } catch (error) {
      // An admin who never wrote to the bot has no chat with it yet.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
    }
  }

  async function publish(scope: BotCommandScope, menu: readonly CommandFacts[]): Promise<void> {
    for (const language of LANGUAGES) {
      const entries = menu.map(({ name }) => ({
        command: name,
        description: texts.t(language, `command-${name}`),
      }))
      const other = language === 'en' ? { scope } : { scope, language_code: language }
      await api.setMyCommands(entries, other)
    }
  }
}
