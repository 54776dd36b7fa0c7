import type { Tickets } from './sign-in/tickets.ts'

/** Below the root of the process, and of PUBLIC_URL. */
export const DASHBOARD_PATH = '/admin'

/** The address at which a person finds the page. */
export interface PageAddress {
  url: string
  /**
   * `telegram` opens pages over https only, a playground those of its machine too; `here` is the machine that the bot
   * runs on.
   */
  opensIn: 'telegram' | 'browser' | 'here'
}

/**
 * @param localRoot Under which this very machine reaches the process.
 * @param isPlayground Whether a playground of this machine stands in for Telegram: it opens pages of this machine too.
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
  const url = `${publicUrl ?? localRoot}${DASHBOARD_PATH}/`
  if (publicUrl === undefined) return { url, opensIn: isPlayground ? 'telegram' : 'here' }
  return { url, opensIn: publicUrl.startsWith('https:') ? 'telegram' : 'browser' }
}

/** Makes links that sign in who opens them. */
export function createSignInLinks({
  page,
  tickets,
}: {
  page: PageAddress
  tickets: Pick<Tickets, 'make'>
}) {
  return { page, make }

  /**
   * Makes a link that signs a user in once. The token comes after the `#`, which no browser sends to a server: it
   * is in no log, and what fetches a link to show a preview does not use it up.
   */
  async function make(userId: number): Promise<string> {
    return `${page.url}#link=${await tickets.make('sign_in', { userId })}`
  }
}

export type SignInLinks = ReturnType<typeof createSignInLinks>
