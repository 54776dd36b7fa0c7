import type { Tickets } from './sign-in/tickets.ts'

/** Below the root of the process, and of PUBLIC_URL. */
export const DASHBOARD_PATH = '/admin'

/** Where a person finds the page. */
export interface PageAddress {
  url: string
  /** `telegram` opens pages over https only; `here` is the machine that the bot runs on. */
  opensIn: 'telegram' | 'browser' | 'here'
}

/** @param localRoot Under which this very machine reaches the process. */
export function toPageAddress({
  publicUrl,
  localRoot,
}: {
  publicUrl?: string | undefined
  localRoot: string
}): PageAddress {
  const url = `${publicUrl ?? localRoot}${DASHBOARD_PATH}/`
  if (publicUrl === undefined) return { url, opensIn: 'here' }
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
   * Makes a link that signs a user in once. The token comes after the `#`, which a browser sends to nobody: it
   * is in no log, and what fetches a link to show a preview does not use it up.
   */
  async function make(userId: number): Promise<string> {
    return `${page.url}#link=${await tickets.make('sign_in', { userId })}`
  }
}

export type SignInLinks = ReturnType<typeof createSignInLinks>
