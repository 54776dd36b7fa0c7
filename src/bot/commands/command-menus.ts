import { createHash } from 'node:crypto'
import { type Api, GrammyError } from 'grammy'
import type { BotCommandScope } from 'grammy/types'
import type { MediaKind } from '../../contract/tasks.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import { offerVariables } from '../media/option-texts.ts'
import type { RoleHolder } from '../people/roles.ts'
import type { Published } from '../telegram/profile.ts'
import { LANGUAGES, type Language, type Texts } from '../texts/texts.ts'
import type { CommandFacts } from './command.ts'
import { type ListReader, listShown } from './help.ts'

const SCOPES = ['default', 'all_private_chats', 'all_group_chats'] as const
const ROLES = [undefined, 'viewer', 'admin'] as const

export interface CommandMenusDeps {
  api: Pick<Api, 'setMyCommands' | 'getMyCommands' | 'deleteMyCommands'>
  commands: readonly CommandFacts[]
  kinds: () => readonly MediaKind[] | undefined
  texts: Texts
  published: Published
}

const PUBLISHED = 'commands'

/**
 * Telegram's menus of commands, by what is sold now: for everybody one in private chats and a shorter one in groups, and longer
 * ones in the chats of admins and viewers.
 *
 * English is set without a language, for users who read neither. Safe to repeat: what is so already is not set again.
 */
export function createCommandMenus({ api, commands, kinds, texts, published }: CommandMenusDeps) {
  return { publish, publishFor }

  async function publish(holders: readonly RoleHolder[]): Promise<void> {
    const digest = digestOf(holders)
    if ((await published.read(PUBLISHED)) === digest && (await isRemembered())) return
    for (const type of SCOPES) {
      const isPrivate = type !== 'all_group_chats'
      await set({ type }, menuOf({ isPrivate, role: undefined }))
    }
    let isWhole = true
    for (const { userId, role } of holders) {
      if (!(await publishFor(userId, role))) isWhole = false
    }
    // A user who writes to the bot before the next start receives the menu then.
    if (isWhole) await published.record(PUBLISHED, digest)
  }

  function digestOf(holders: readonly RoleHolder[]): string {
    const readers = [
      ...ROLES.map((role) => ({ isPrivate: true, role })),
      { isPrivate: false, role: undefined },
    ]
    const menus = LANGUAGES.flatMap((language) =>
      readers.map((reader) => menuOf(reader).map((one) => [one.name, describe(one, language)])),
    )
    const having = holders.map(({ userId, role }) => [userId, role])
    return createHash('sha256')
      .update(JSON.stringify([menus, having]))
      .digest('base64url')
  }

  /** A server that stands in for Telegram may have begun with nothing. */
  async function isRemembered(): Promise<boolean> {
    return (await api.getMyCommands()).length > 0
  }

  async function publishFor(userId: number, role: UserRole | undefined): Promise<boolean> {
    const scope = { type: 'chat', chat_id: userId } as const
    try {
      await (role === undefined ? remove(scope) : set(scope, menuOf({ isPrivate: true, role })))
      return true
    } catch (error) {
      // A user who never wrote to the bot has no chat yet.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
      return false
    }
  }

  function menuOf(reader: ListReader): readonly CommandFacts[] {
    return listShown(commands, kinds(), reader).listed
  }

  async function set(scope: BotCommandScope, menu: readonly CommandFacts[]): Promise<void> {
    for (const language of LANGUAGES) {
      const entries = menu.map((one) => ({
        command: one.name,
        description: describe(one, language),
      }))
      await api.setMyCommands(entries, inLanguage(scope, language))
    }
  }

  function describe({ name }: CommandFacts, language: Language): string {
    const offers = offerVariables(kinds(), { languageCode: language, texts })
    return texts.t(language, `command-${name}`, offers)
  }

  async function remove(scope: BotCommandScope): Promise<void> {
    for (const language of LANGUAGES) await api.deleteMyCommands(inLanguage(scope, language))
  }
}

function inLanguage(scope: BotCommandScope, language: Language) {
  return language === 'en' ? { scope } : { scope, language_code: language }
}
