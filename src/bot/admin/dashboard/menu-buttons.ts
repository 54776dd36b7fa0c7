import { type Api, GrammyError } from 'grammy'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Texts } from '../../locales/texts.ts'
import type { RoleHolder } from '../../people/access/roles.ts'
import type { Role } from './api.ts'
import type { PageAddress } from './page-address.ts'

export interface MenuButtonsDeps {
  api: Pick<Api, 'setChatMenuButton'>
  prisma: Pick<PrismaClient, 'dashboardButton'>
  texts: Texts
  page: PageAddress
}

/**
 * The button beside the field for a message, which opens the page: admins and viewers have it, where Telegram
 * can open the page, in their language. Which chats have it, and how, is kept, so that one who lost their role while no
 * process ran loses the button all the same, and a start asks Telegram for nothing that is so already.
 */
export function createMenuButtons({ api, prisma, texts, page }: MenuButtonsDeps) {
  return { showAll, show }

  async function showAll(holders: readonly RoleHolder[]): Promise<void> {
    const holding = new Set(holders.map(({ userId }) => userId))
    const shown = await prisma.dashboardButton.findMany()
    for (const { userId } of shown) {
      if (!holding.has(Number(userId))) await show({ userId: Number(userId), role: undefined })
    }
    for (const holder of holders) await show(holder)
  }

  async function show({
    userId,
    role,
    languageCode,
  }: {
    userId: number
    role: Role | undefined
    languageCode?: string | undefined
  }): Promise<void> {
    const where = { userId }
    const shown = await prisma.dashboardButton.findUnique({ where })
    const text = texts.t(languageCode, 'dashboard-menu')
    const url = role !== undefined && page.opensIn === 'telegram' ? page.url : undefined
    if (shown?.url === url && (url === undefined || shown?.text === text)) return
    try {
      await api.setChatMenuButton({
        chat_id: userId,
        menu_button:
          url === undefined ? { type: 'default' } : { type: 'web_app', text, web_app: { url } },
      })
    } catch (error) {
      // Who never wrote to the bot has no chat with it yet, and who blocked it sees no button.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
      return
    }
    if (url === undefined) await prisma.dashboardButton.deleteMany({ where })
    else {
      const button = { url, text }
      await prisma.dashboardButton.upsert({ where, create: { userId, ...button }, update: button })
    }
  }
}

export type MenuButtons = ReturnType<typeof createMenuButtons>
