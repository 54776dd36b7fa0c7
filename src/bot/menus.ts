import type { Logger } from 'pino'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import { createMenuButtons, type MenuButtonsDeps } from './admin/dashboard/menu-buttons.ts'
import type { PageAddress } from './admin/dashboard/page-address.ts'
import { type CommandMenusDeps, createCommandMenus } from './commands/command-menus.ts'
import { COMMANDS } from './commands/list.ts'
import type { Texts } from './locales/texts.ts'
import type { Roles } from './people/access/roles.ts'
import { errorFacts } from './telegram/error-facts.ts'
import { createProfile, type ProfileDeps } from './telegram/profile.ts'
import { createPublished } from './telegram/published.ts'

export interface MenusDeps {
  api: CommandMenusDeps['api'] & MenuButtonsDeps['api'] & ProfileDeps['api']
  prisma: PrismaClient
  texts: Texts
  roles: Pick<Roles, 'holders'>
  page: PageAddress
  log: Logger
}

/**
 * Publishes what Telegram shows people beside the chat: what the bot is, and of their role the menu of commands
 * and the button that opens the page.
 */
export function createMenus({ api, prisma, texts, roles, page, log }: MenusDeps) {
  const published = createPublished(prisma)
  const profile = createProfile({ api, texts, published })
  const commands = createCommandMenus({ api, commands: COMMANDS, texts, published })
  const buttons = createMenuButtons({ api, prisma, texts, page })
  return { publish, show }

  /** Has Telegram show everybody theirs. Safe to repeat. */
  async function publish(): Promise<void> {
    await orLog(async () => {
      const holders = await roles.holders()
      await commands.publish(holders)
      await buttons.showAll(holders)
    })
    await orLog(profile.publish)
  }

  /** Has Telegram show somebody those of their role. Safe to repeat. */
  function show(user: Parameters<typeof buttons.show>[0]): Promise<void> {
    return orLog(async () => {
      await commands.publishFor(user.userId, user.role)
      await buttons.show(user)
    })
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
