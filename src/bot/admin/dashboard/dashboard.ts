import type { Pool } from 'pg'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Sweep } from '../../../platform/database/instance/sweep.ts'
import { readTime } from '../../../platform/database/prisma.ts'
import type { TroubleLog } from '../../../platform/fold-repeats.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { AlertSettings } from '../../alerts/alert-settings.ts'
import type { Access, AccessSettings } from '../../people/access/access.ts'
import type { Admittance } from '../../people/access/admittance.ts'
import type { Roles } from '../../people/access/roles.ts'
import { createTries } from '../../people/access/tries.ts'
import { createChangeLog } from '../../settings/change-log.ts'
import type { ServiceBalance } from '../../spend/balance.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { checkSums } from '../../spend/check.ts'
import type { Limits } from '../../spend/limits.ts'
import type { Reports } from '../../spend/reports.ts'
import { findSubject } from '../../spend/users.ts'
import { createAccessList } from './access-list.ts'
import { createLiveStreams, createRecentBalance, readLiveFigures } from './live-streams.ts'
import { createNamedUsers } from './named-users.ts'
import { createSignInLinks, type PageAddress } from './page-address.ts'
import { createSessions } from './sign-in/sessions.ts'
import { createTickets } from './sign-in/tickets.ts'

export interface DashboardDeps {
  pool: Pick<Pool, 'query'>
  prisma: PrismaClient
  botToken: string
  page: PageAddress
  settings: AccessSettings & { timeZone: string }
  access: Access
  roles: Pick<Roles, 'of' | 'holders'>
  decisions: Admittance['ofPage']
  reports: Reports
  limits: Limits
  balance: ServiceBalance
  calendar: Calendar
  alertSettings: AlertSettings
  sweep: Pick<Sweep, 'add'>
  clock: Pick<Clock, 'now' | 'sleep'>
  log: TroubleLog
}

/** Wires the parts of the page's server: its routes read and change the same as the commands. */
export function createDashboard(deps: DashboardDeps) {
  const { pool, prisma, settings, calendar, reports, clock, sweep } = deps
  const sessions = createSessions({ pool, prisma })
  const tickets = createTickets({ pool })
  const accessList = createAccessList({ prisma, settings, access: deps.access })
  const readBalance = createRecentBalance({ balance: deps.balance, clock })
  const liveStreams = createLiveStreams({
    roles: deps.roles,
    clock,
    log: deps.log,
    sessions,
    readFigures: () => readLiveFigures({ prisma, reports, readBalance }),
  })
  return {
    prisma,
    botToken: deps.botToken,
    roles: deps.roles,
    decisions: deps.decisions,
    reports,
    limits: deps.limits,
    balance: deps.balance,
    calendar,
    alertSettings: deps.alertSettings,
    timeZone: settings.timeZone,
    sessions,
    tickets,
    tries: createTries(clock),
    signInLinks: createSignInLinks({ page: deps.page, tickets }),
    accessList,
    accessOf: accessList.accessOf,
    isKnown: async (id: bigint) => typeof (await findSubject(prisma, String(id))) !== 'string',
    users: createNamedUsers(prisma),
    checkSums: () => checkSums(prisma),
    changeLog: createChangeLog(prisma),
    liveStreams,
    now: () => readTime(prisma),
    start,
    stop: liveStreams.stop,
  }

  async function start(): Promise<void> {
    await sweep.add(sessions.purge)
    await sweep.add(tickets.purge)
  }
}

export type Dashboard = ReturnType<typeof createDashboard>
