/** The ways to the page: its address, links of `/dashboard` that sign in, and the button beside the message field. */
import { type Api, GrammyError } from 'grammy'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { UserRole } from '../../../platform/database/generated/enums.ts'
import type { RoleHolder } from '../../people/roles.ts'
import type { Texts } from '../../texts/texts.ts'
import { makeTicket } from './tokens.ts'

/** Below the root of the process, and of PUBLIC_URL. */
export const PAGE_PATH = '/admin'

/** The address at which a person finds the page. */
export interface PageAddress {
  url: string
  /**
   * `telegram` opens pages over https only, a playground those of its machine, too; `here` is the machine that the bot
   * runs on.
   */
  opensIn: 'telegram' | 'browser' | 'here'
}

/**
 * @param localRoot Under which this machine reaches the process.
 * @param isPlayground Whether a playground of this machine stands in for Telegram.
 */
export function toPageAddress({
  publicUrl,
  localRoot,
  isPlayground = false,
}: {
  publicUrl?: string | undefined
  localRoot: string
  isPlayground?: boolean | undefined
}): PageAddress {
  const url = `${publicUrl ?? localRoot}${PAGE_PATH}/`
  if (publicUrl === undefined) return { url, opensIn: isPlayground ? 'telegram' : 'here' }
  return { url, opensIn: publicUrl.startsWith('https:') ? 'telegram' : 'browser' }
}

/** Makes links that sign in the user who opens them. */
export function createSignInLinks({
  address,
  prisma,
}: {
  address: PageAddress
  prisma: PrismaClient
}) {
  return { page: address, make }

  /**
   * Makes a link that signs a user in once. No browser sends what follows the `#` to a server: the token is in no log,
   * and a preview of the link does not use it up.
   */
  async function make(userId: number): Promise<string> {
    return `${address.url}#link=${await makeTicket(prisma, 'sign_in', { userId })}`
  }
}

export type SignInLinks = ReturnType<typeof createSignInLinks>

export interface MenuButtonsDeps {
  api: Pick<Api, 'setChatMenuButton'>
  prisma: Pick<PrismaClient, 'dashboardButton'>
  texts: Texts
  page: PageAddress
}

/**
 * The button beside the message field, which opens the page: admins and viewers have it, in their language.
 *
 * The database has which chats show it: a user who lost their role while no process ran loses the button at the next
 * start, which asks Telegram only for what differs.
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
    role: UserRole | undefined
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
      // A user who never wrote to the bot has no chat with it, and a user who blocked it sees no button.
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
