/** Publishes the bot's profile, and the command menu and page button of each role. Safe to repeat. */
import { type Api, GrammyError } from 'grammy'
import type { BotCommandScope } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import type { UserRole } from '../platform/database/generated/enums.ts'
import { createMenuButtons, type MenuButtonsDeps } from './admin/page/links.ts'
import type { PageAddress } from './admin/page/visit.ts'
import type { CommandFacts } from './commands/command.ts'
import { type ListReader, listShown } from './commands/help.ts'
import { COMMANDS } from './commands/list.ts'
import { offerVariables } from './media/option-texts.ts'
import type { MediaPrices } from './media/prices.ts'
import type { RoleHolder, Roles } from './people/roles.ts'
import type { Sender } from './telegram/addressing.ts'
import { errorFacts } from './telegram/errors.ts'
import { type ProfileDeps, type ProfilePart, publishProfile } from './telegram/profile.ts'
import { LANGUAGES, type Language, type Texts } from './texts/texts.ts'

const SCOPES = ['default', 'all_private_chats', 'all_group_chats'] as const

export interface MenusContext {
  api: Pick<Api, 'setMyCommands' | 'deleteMyCommands'> & MenuButtonsDeps['api'] & ProfileDeps['api']
  prisma: PrismaClient
  texts: Texts
  roles: Pick<Roles, 'holders'>
  prices: Pick<MediaPrices, 'kinds'>
  page: PageAddress
  log: Logger
}

export function createMenus(context: MenusContext) {
  const { api, prisma, texts, roles, prices, page, log } = context
  const buttons = createMenuButtons({ api, texts, page })
  const followed = new Map<number, string | undefined>()
  let publishing = Promise.resolve()
  return { publish, settled: () => publishing, show, follow }

  function publish(): Promise<void> {
    publishing = publishing.then(async () => {
      await orLog(async () => {
        const holders = await roles.holders()
        await publishCommands(holders)
        for (const holder of holders) await buttons.show(holder)
      })
      await orLog(() => publishProfile({ api, textOf, prisma }))
    })
    return publishing
  }

  function show(user: Parameters<typeof buttons.show>[0]): Promise<void> {
    return orLog(async () => {
      await publishFor(user.userId, user.role)
      await buttons.show(user)
    })
  }

  /** The language of a user is unknown until their first message, and may change in Telegram. */
  async function follow({ id: userId, role, languageCode }: Sender): Promise<void> {
    if (role === undefined || (followed.has(userId) && followed.get(userId) === languageCode))
      return
    followed.set(userId, languageCode)
    await orLog(() => buttons.show({ userId, role, languageCode }))
  }

  function textOf(part: ProfilePart, languageCode: Language): string {
    const offers = offerVariables(prices.kinds(), { languageCode, texts })
    const hasMedia = part === 'description' && offers.offered === 'some'
    const keys = [
      `bot-${part}`,
      ...(hasMedia ? ['bot-description-media'] : []),
      ...(part === 'description' ? ['bot-description-cost'] : []),
    ]
    return keys.map((key) => texts.t(languageCode, key, offers)).join('\n\n')
  }

  /** A menu is a convenience, and Telegram keeps the last one. */
  async function orLog(publish: () => Promise<void>): Promise<void> {
    try {
      await publish()
    } catch (error) {
      log.warn(errorFacts(error), 'menus not published')
    }
  }

  async function publishCommands(holders: readonly RoleHolder[]): Promise<void> {
    for (const type of SCOPES) {
      await set({ type }, menuOf({ isPrivate: type !== 'all_group_chats', role: undefined }))
    }
    for (const { userId, role } of holders) await publishFor(userId, role)
  }

  async function publishFor(userId: number, role: UserRole | undefined): Promise<void> {
    const scope = { type: 'chat', chat_id: userId } as const
    try {
      if (role !== undefined) await set(scope, menuOf({ isPrivate: true, role }))
      else for (const code of LANGUAGES) await api.deleteMyCommands(inLanguage(scope, code))
    } catch (error) {
      // A user who never wrote to the bot has no chat yet.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
    }
  }

  function menuOf(reader: ListReader): readonly CommandFacts[] {
    return listShown(COMMANDS, prices.kinds(), reader).listed
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

  function describe({ name }: CommandFacts, languageCode: Language): string {
    const offers = offerVariables(prices.kinds(), { languageCode, texts })
    return texts.t(languageCode, `command-${name}`, offers)
  }
}

export type Menus = ReturnType<typeof createMenus>

/** English is set without a language, for users who read neither. */
function inLanguage(scope: BotCommandScope, language: Language) {
  return language === 'en' ? { scope } : { scope, language_code: language }
}
