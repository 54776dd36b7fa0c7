import type { Pool } from 'pg'
import type { PrismaClient } from '../../database/generated/client.ts'
import { readTime } from '../../database/read-time.ts'
import type { Sweep } from '../../database/sweep.ts'
import type { Clock } from '../../time/clock.ts'
import { toLanguage } from '../locales/texts.ts'
import { languageOf } from '../users.ts'
import type { Role } from './api.ts'
import { createSignInLinks, type PageAddress } from './page-address.ts'
import { createSessions } from './sign-in/sessions.ts'
import { createTickets } from './sign-in/tickets.ts'
import { createTries } from './sign-in/tries.ts'

export interface DashboardDeps {
  pool: Pick<Pool, 'query'>
  prisma: PrismaClient
  botToken: string
  roles: { of(userId: number): Promise<Role | undefined> }
  timeZone: string
  page: PageAddress
  sweep: Pick<Sweep, 'add'>
  clock: Pick<Clock, 'now'>
}

export type Dashboard = ReturnType<typeof createDashboard>

/** What the page's server needs of the bot. */
export function createDashboard(deps: DashboardDeps) {
  const { prisma, clock, sweep } = deps
  const sessions = createSessions(deps)
  const tickets = createTickets(deps)
  return {
    ...deps,
    sessions,
    tickets,
    signInLinks: createSignInLinks({ page: deps.page, tickets }),
    tries: createTries(clock),
    users: { describe },
    now: () => readTime(prisma),
    start,
  }

  async function start(): Promise<void> {
    await sweep.add(sessions.purge)
    await sweep.add(tickets.purge)
  }

  /** Somebody who never wrote to the bot has no name here. */
  async function describe(userId: number) {
    const user = await prisma.user.findUnique({ where: { id: userId } })
    if (user === null) return { name: '', username: null, language: null }
    const languageCode = languageOf(user)
    return {
      name: user.firstName,
      username: user.username,
      language: languageCode === undefined ? null : toLanguage(languageCode),
    }
  }
}
