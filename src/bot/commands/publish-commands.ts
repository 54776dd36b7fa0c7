import { type Api, GrammyError } from 'grammy'
import type { BotCommandScope } from 'grammy/types'
import { LANGUAGES, type Language, type Texts } from '../locales/texts.ts'

const FOR_ALL = [
  'new',
  'model',
  'system',
  'stop',
  'video',
  'history',
  'export',
  'usage',
  'language',
  'drafts',
  'forget',
  'help',
]
const FOR_ADMINS = [...FOR_ALL, 'balance', 'spend', 'costnote', 'access']
const SCOPES = ['default', 'all_private_chats', 'all_group_chats'] as const

/**
 * Tells Telegram the menu of commands: one for everybody, in private chats and in groups,
 * and a longer one in the admins' own chats.
 *
 * English is set without a language, for whoever reads neither. Safe to repeat.
 */
export async function publishCommands(
  api: Pick<Api, 'setMyCommands'>,
  { adminIds }: { adminIds: ReadonlySet<number> },
  texts: Texts,
): Promise<void> {
  for (const type of SCOPES) await publish({ type }, FOR_ALL)
  for (const adminId of adminIds) {
    try {
      await publish({ type: 'chat', chat_id: adminId }, FOR_ADMINS)
    } catch (error) {
      // An admin who never wrote to the bot has no chat with it yet.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
    }
  }

  async function publish(scope: BotCommandScope, names: readonly string[]): Promise<void> {
    for (const language of LANGUAGES) {
      const commands = names.map((command) => ({
        command,
        description: describe(command, language),
      }))
      const other = language === 'en' ? { scope } : { scope, language_code: language }
      await api.setMyCommands(commands, other)
    }
  }

  function describe(command: string, language: Language): string {
    return texts.t(language, `command-${command}`)
  }
}
