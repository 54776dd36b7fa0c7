import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Outbox } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { Access, AccessSettings, OpenTo } from './access.ts'
import { createAdmissions, type DecisionOutcome, type NewAdmissionDecision } from './admissions.ts'
import { createFirstAdmin, type FirstAdmin } from './first-admin.ts'
import { createGiveRole } from './give-role.ts'
import type { RequestCopies } from './request-copies.ts'
import { type AccessRequestsDeps, createAccessRequests } from './requests.ts'
import { createShowRole, type ShowRoleDeps } from './show-role.ts'

/** A decision about the access of a user, or about their role. */
export interface UserNotice {
  kind: 'access' | 'role'
  userId: number
}

export interface AdmittanceDeps
  extends Pick<AccessRequestsDeps, 'onBlocked'>,
    Pick<ShowRoleDeps, 'showMenus'> {
  prisma: PrismaClient
  settings: Pick<AccessSettings, 'adminIds'> & { timeZone: string }
  access: Access
  copies: RequestCopies
  outbox: Outbox
  texts: Texts
  clock: Clock
  log: Logger
  /** Stores a decision of the page, so that the active process shows it. */
  showLater: (notice: UserNotice) => Promise<void>
}

/** Wires what decides who may talk to the bot, and in which role. */
export function createAdmittance({
  prisma,
  settings,
  access,
  copies,
  outbox,
  texts,
  clock,
  log,
  showMenus,
  onBlocked,
  showLater,
}: AdmittanceDeps) {
  const admissions = createAdmissions(prisma, access)
  const now = () => readTime(prisma)
  const showRole = createShowRole({ prisma, access, outbox, texts, showMenus, log })
  const requests = createAccessRequests({
    admissions,
    copies,
    outbox,
    texts,
    settings,
    log,
    onBlocked,
    now,
  })
  return {
    access,
    admissions,
    requests,
    giveRole: createGiveRole({ prisma, settings, access, showRole }),
    ofPage: {
      setAccess,
      giveRole: createGiveRole({
        prisma,
        settings,
        access,
        showRole: (userId) => showLater({ kind: 'role', userId }),
      }),
    },
    firstAdmin: createFirstAdmin({ prisma, settings, showRole, clock }),
    show: ({ kind, userId }: UserNotice): Promise<unknown> =>
      kind === 'role' ? showRole(userId) : requests.showDecision(userId),
    now,
  }

  async function setAccess(given: NewAdmissionDecision): Promise<DecisionOutcome> {
    const outcome = await admissions.set(given, await now())
    if (outcome === 'decided' || outcome === 'unchanged') {
      await showLater({ kind: 'access', userId: given.userId })
    }
    return outcome
  }
}

export type Admittance = ReturnType<typeof createAdmittance>

/** Facts for the operator of a bot, read when it starts. */
export interface Doors {
  openTo: OpenTo
  /** A code that makes its sender the first admin; undefined where there is one. A secret: it belongs into no log. */
  adminCode: string | undefined
}

/** Logs to whom a bot that starts is open, and has a code ready where it has no admin. */
export async function openDoors({
  access,
  firstAdmin,
  log,
}: {
  access: Pick<Access, 'openTo'>
  firstAdmin: Pick<FirstAdmin, 'offer'>
  log: Logger
}): Promise<Doors> {
  const openTo = access.openTo()
  const adminCode = await firstAdmin.offer()
  log.info({ openTo, hasAdmin: adminCode === undefined }, 'who may talk to the bot')
  return { openTo, adminCode }
}
