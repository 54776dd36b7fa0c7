import type { Role, SignInBody, SignInRefusal } from '../api.ts'
import { checkInitData } from './init-data.ts'
import type { OpenSession, Sessions } from './sessions.ts'
import type { TicketRefusal, Tickets } from './tickets.ts'

export interface SignInDeps {
  /** Signs what Telegram gives a Mini App. */
  botToken: string
  sessions: Pick<Sessions, 'begin'>
  tickets: Pick<Tickets, 'take' | 'takeInitData'>
  roles: { of(userId: number): Promise<Role | undefined> }
  /** Reads the time by the database's clock. */
  now: () => Promise<Date>
}

const LINK_REFUSALS: Readonly<Record<TicketRefusal, SignInRefusal>> = {
  used: 'link_used',
  expired: 'link_expired',
  unknown: 'link_unknown',
}

/** Begins a session for an admin or a viewer who says who they are. @returns Otherwise why not. */
export async function signIn(
  given: SignInBody,
  { botToken, sessions, tickets, roles, now }: SignInDeps,
): Promise<(OpenSession & { token: string; role: Role }) | SignInRefusal> {
  const found = 'link' in given ? await takeLink(given.link) : await readInitData(given.initData)
  if (typeof found === 'string') return found
  const role = await roles.of(found.userId)
  if (role === undefined) return 'no_role'
  if ('hash' in found && !(await tickets.takeInitData(found))) return 'init_data_used'
  return { ...(await sessions.begin(found.userId)), role }

  async function takeLink(link: string) {
    const ticket = await tickets.take('sign_in', link)
    return typeof ticket === 'string' ? LINK_REFUSALS[ticket] : ticket
  }

  async function readInitData(initData: string) {
    const checked = checkInitData(initData, { botToken, now: await now() })
    return typeof checked === 'string' ? (`init_data_${checked}` as const) : checked
  }
}
