import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { readTime } from '../../../platform/database/prisma.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { RequestCopies } from '../request-copies.ts'
import type { Access, AccessSettings, OpenTo } from './access.ts'
import { createAdmissions } from './admissions.ts'
import { createFirstAdmin, type FirstAdmin } from './first-admin.ts'
import { createGiveRole } from './give-role.ts'
import { type AccessRequestsDeps, createAccessRequests } from './requests.ts'
import { createShowRole, type ShowRoleDeps } from './show-role.ts'

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
}: AdmittanceDeps) {
  const admissions = createAdmissions(prisma, access)
  const now = () => readTime(prisma)
  const showRole = createShowRole({ prisma, access, outbox, texts, showMenus, log })
  return {
    access,
    admissions,
    requests: createAccessRequests({
      admissions,
      copies,
      outbox,
      texts,
      settings,
      log,
      onBlocked,
      now,
    }),
    giveRole: createGiveRole({ prisma, settings, access, showRole }),
    firstAdmin: createFirstAdmin({ prisma, settings, showRole, clock }),
    now,
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
