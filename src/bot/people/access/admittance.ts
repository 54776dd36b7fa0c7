import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { readTime } from '../../../platform/database/read-time.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import { createRequestCopies } from '../admin-requests/request-copies.ts'
import { type AccessSettings, createAccess } from './access.ts'
import { createAdmissions } from './admissions.ts'
import { createFirstAdmin } from './first-admin.ts'
import { createGiveRole } from './give-role.ts'
import { type AccessRequestsDeps, createAccessRequests } from './requests.ts'
import type { Roles } from './roles.ts'
import { createShowRole, type ShowRoleDeps } from './show-role.ts'

export interface AdmittanceDeps
  extends Pick<AccessRequestsDeps, 'onBlocked'>,
    Pick<ShowRoleDeps, 'showMenus'> {
  prisma: PrismaClient
  settings: AccessSettings & { timeZone: string }
  roles: Roles
  outbox: Outbox
  texts: Texts
  clock: Clock
  log: Logger
}

/** Wires what decides who may talk to the bot, and in which role. */
export function createAdmittance(deps: AdmittanceDeps) {
  const { prisma, settings } = deps
  const access = createAccess(settings)
  const admissions = createAdmissions(prisma, access)
  const now = () => readTime(prisma)
  const copies = createRequestCopies(deps)
  const showRole = createShowRole(deps)
  return {
    access,
    admissions,
    requests: createAccessRequests({ ...deps, admissions, copies, now }),
    giveRole: createGiveRole({ ...deps, showRole }),
    firstAdmin: createFirstAdmin({ ...deps, showRole }),
    now,
  }
}

export type Admittance = ReturnType<typeof createAdmittance>
