import type { Logger } from 'pino'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import type { PageAddress } from './admin/page/links.ts'
import { createMenuButtons, type MenuButtonsDeps } from './admin/page/links.ts'
import { type CommandMenusDeps, createCommandMenus } from './commands/command-menus.ts'
import { COMMANDS } from './commands/list.ts'
import { offerVariables } from './media/option-texts.ts'
import type { MediaPrices } from './media/prices.ts'
import type { Roles } from './people/roles.ts'
import type { Sender } from './telegram/addressing.ts'
import { errorFacts } from './telegram/error-facts.ts'
import {
  createPublished,
  type ProfileDeps,
  type ProfilePart,
  publishProfile,
} from './telegram/profile.ts'
import type { Language, Texts } from './texts/texts.ts'

export interface MenusDeps {
  api: CommandMenusDeps['api'] & MenuButtonsDeps['api'] & ProfileDeps['api']
  prisma: PrismaClient
  texts: Texts
  roles: Pick<Roles, 'holders'>
  prices: Pick<MediaPrices, 'kinds'>
  page: PageAddress
  log: Logger
}

/**
 * Publishes what Telegram shows people beside the chat: what the bot is and sells, and of their role the menu of
 * commands and the button that opens the page.
 */
export function createMenus({ api, prisma, texts, roles, prices, page, log }: MenusDeps) {
  const published = createPublished(prisma)
  const { kinds } = prices
  const commands = createCommandMenus({ api, commands: COMMANDS, kinds, texts, published })
  const buttons = createMenuButtons({ api, prisma, texts, page })
  const followed = new Map<number, string | undefined>()
  let publishing = Promise.resolve()
  return { publish, settled: () => publishing, show, follow }

  function publish(): Promise<void> {
    publishing = publishing.then(publishAll)
    return publishing
  }

  async function publishAll(): Promise<void> {
    await orLog(async () => {
      const holders = await roles.holders()
      await commands.publish(holders)
      await buttons.showAll(holders)
    })
    await orLog(() => publishProfile({ api, textOf, published }))
  }

  function show(user: Parameters<typeof buttons.show>[0]): Promise<void> {
    return orLog(async () => {
      await commands.publishFor(user.userId, user.role)
      await buttons.show(user)
    })
  }

  /**
   * Has the button of who writes say what they read now: until their first message nobody knows their language, and they
   * may change it in Telegram. Safe to repeat: nothing is asked for twice.
   */
  async function follow({ id: userId, role, languageCode }: Sender): Promise<void> {
    if (role === undefined || (followed.has(userId) && followed.get(userId) === languageCode))
      return
    followed.set(userId, languageCode)
    await orLog(() => buttons.show({ userId, role, languageCode }))
  }

  function textOf(part: ProfilePart, languageCode: Language): string {
    const offers = offerVariables(kinds(), { languageCode, texts })
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
}

export type Menus = ReturnType<typeof createMenus>
