/** Links to the page: its address, sign-in links of `/dashboard`, and the button beside the message field. */
import { type Api, GrammyError } from 'grammy'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { UserRole } from '../../../platform/database/generated/enums.ts'
import type { Texts } from '../../texts/texts.ts'
import { makeTicket } from './sign-in.ts'
import type { PageAddress } from './visit.ts'

/** Below the root of the process, and of PUBLIC_URL. */
export const PAGE_PATH = '/admin'

/**
 * @param localRoot The root of the process on this machine.
 * @param isPlayground Whether a playground of this machine replaces Telegram.
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

export function createSignInLinks(context: { address: PageAddress; prisma: PrismaClient }) {
  const { address, prisma } = context
  return { page: address, make }

  /** The token follows the `#`, which browsers do not send: no log has it, and a preview does not use it up. */
  async function make(userId: number): Promise<string> {
    return `${address.url}#link=${await makeTicket(prisma, 'sign_in', { userId })}`
  }
}

export type SignInLinks = ReturnType<typeof createSignInLinks>

export interface MenuButtonsDeps {
  api: Pick<Api, 'setChatMenuButton'>
  texts: Texts
  page: PageAddress
}

interface MenuReader {
  userId: number
  role: UserRole | undefined
  languageCode?: string | undefined
}

/** Sets the button that opens the page for admins and viewers, in their language. */
export function createMenuButtons({ api, texts, page }: MenuButtonsDeps) {
  return { show }

  async function show({ userId, role, languageCode }: MenuReader): Promise<void> {
    if (page.opensIn !== 'telegram') return
    const text = texts.t(languageCode, 'dashboard-menu')
    const opensPage = { type: 'web_app', text, web_app: { url: page.url } } as const
    const button = role === undefined ? ({ type: 'default' } as const) : opensPage
    try {
      await api.setChatMenuButton({ chat_id: userId, menu_button: button })
    } catch (error) {
      // A user who never wrote to the bot has no chat with it, and a user who blocked it sees no button.
      if (!(error instanceof GrammyError) || ![400, 403].includes(error.error_code)) throw error
    }
  }
}

export type MenuButtons = ReturnType<typeof createMenuButtons>
