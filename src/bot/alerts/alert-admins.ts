import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Clock } from '../../time/clock.ts'
import type { RoleHolder, Roles } from '../access/roles.ts'
import type { Texts } from '../locales/texts.ts'
import type { RequestKind } from '../queue/rate-limit.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import type { AlertSettings } from './alert-settings.ts'
import { claimAlert } from './claim-alert.ts'
import { createServiceTroubles, type Trouble } from './service-troubles.ts'

const KEYS: Readonly<Record<Trouble, string>> = {
  insufficient_balance: 'admin-insufficient-balance',
  unauthorized: 'admin-unauthorized',
  service_unavailable: 'admin-service-unavailable',
  storage_unavailable: 'admin-storage-unavailable',
  order_written_off: 'admin-order-written-off',
}

export interface AdminAlertsDeps {
  prisma: Pick<PrismaClient, '$executeRaw'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  roles: Pick<Roles, 'admins'>
  settings: Pick<AlertSettings, 'read'>
  clock: Clock
  log: Logger
  signal: AbortSignal
}

/** Tells admins what keeps the service from answering, chats and orders alike, each trouble at most once an hour. */
export function createAdminAlerts(deps: AdminAlertsDeps) {
  const { outbox, texts, roles, settings, clock, log, signal } = deps
  /** Each kind by itself: one that works says nothing of another. */
  const troubles = new Map<RequestKind, ReturnType<typeof createServiceTroubles>>()
  return { observe, report }

  /** Takes the outcome of one request, undefined where it went well. Never waits and never throws. */
  function observe(kind: RequestKind, error: unknown): void {
    const code = error instanceof ServiceError ? error.code : undefined
    const ofKind = troubles.get(kind) ?? createServiceTroubles()
    troubles.set(kind, ofKind)
    const trouble = ofKind.observe(code, clock.now())
    if (trouble !== undefined) report(trouble)
  }

  /** Tells of a trouble, unless it was told lately. Never waits and never throws. */
  function report(trouble: Trouble): void {
    void tellAll(trouble)
  }

  async function tellAll(trouble: Trouble): Promise<void> {
    let admins: RoleHolder[]
    try {
      if (!(await settings.read()).serviceFailures) return
      admins = await roles.admins()
      if (!(await claimAlert(trouble, deps))) return
    } catch (error) {
      // The next failure is told.
      log.warn({ ...errorFacts(error), trouble }, 'admins not told')
      return
    }
    for (const admin of admins) {
      tell(admin, trouble).catch((reason: unknown) => {
        // An admin who never wrote to the bot cannot be reached by it.
        log.warn({ ...errorFacts(reason), adminId: admin.userId, trouble }, 'admin not told')
      })
    }
  }

  async function tell({ userId, languageCode }: RoleHolder, trouble: Trouble): Promise<void> {
    const text = texts.t(languageCode, KEYS[trouble])
    await outbox.send({ chatId: userId, text }, { signal })
  }
}

export type AdminAlerts = ReturnType<typeof createAdminAlerts>
