import { type Api, GrammyError } from 'grammy'
import type { BotCommandScope } from 'grammy/types'
import type { UserRole } from '../../database/generated/enums.ts'
import type { RoleHolder } from '../access/roles.ts'
import { LANGUAGES, type Texts } from '../locales/texts.ts'
import { isAmong } from './audience.ts'
import type { CommandFacts } from './command.ts'

const SCOPES = ['default', 'all_private_chats', 'all_group_chats'] as const

export interface CommandMenusDeps {
  api: Pick<Api, 'setMyCommands' | 'deleteMyCommands'>
  commands: readonly CommandFacts[]
  texts: Texts
}

/**
 * Telegram's menus of commands: one for everybody, in private chats and in groups, and longer ones in the
 * chats of admins and viewers.
 *
 * English is set without a language, for users who read neither. Safe to repeat.
 */
export function createCommandMenus({ api, commands, texts }: CommandMenusDeps) {
  const shown = commands.filter(({ isHidden }) => !isHidden)
  return { publish, publishFor }

  async function publish(holders: readonly RoleHolder[]): Promise<void> {
    for (const type of SCOPES) await set({ type }, menuOf(undefined))
    for (const { userId, role } of holders) await publishFor(userId, role)
  }

  /** Gives somebody the menu of a role, or everybody's again. */
  async function publishFor(userId: number, role: UserRole | undefined): Promise<void> {
    const scope = { type: 'chat', chat_id: userId } as const
    try {
      await (role === undefined ? remove(scope) : set(scope, menuOf(role)))
    } catch (error) {
      // Who never wrote to the bot has no chat with it yet.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
    }
  }

  function menuOf(role: UserRole | undefined): readonly CommandFacts[] {
    return shown.filter(({ audience }) => isAmong(audience, role))
  }

  async function set(scope: BotCommandScope, menu: readonly CommandFacts[]): Promise<void> {
    for (const language of LANGUAGES) {
      const entries = menu.map(({ name }) => ({
        command: name,
        description: texts.t(language, `command-${name}`),
      }))
      await api.setMyCommands(entries, inLanguage(scope, language))
    }
  }

  async function remove(scope: BotCommandScope): Promise<void> {
    for (const language of LANGUAGES) await api.deleteMyCommands(inLanguage(scope, language))
  }
}

function inLanguage(scope: BotCommandScope, language: (typeof LANGUAGES)[number]) {
  return language === 'en' ? { scope } : { scope, language_code: language }
}
