import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Clock } from '../../time/clock.ts'
import type { Texts } from '../locales/texts.ts'
import type { RequestKind } from '../queue/rate-limit.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { languageOf } from '../users.ts'
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
  prisma: Pick<PrismaClient, 'user' | '$executeRaw'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  adminIds: ReadonlySet<number>
  settings: Pick<AlertSettings, 'read'>
  clock: Clock
  log: Logger
  signal: AbortSignal
}

/** Tells admins what keeps the service from answering, chats and orders alike, each trouble at most once an hour. */
export function createAdminAlerts(deps: AdminAlertsDeps) {
  const { prisma, outbox, texts, adminIds, settings, clock, log, signal } = deps
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
    try {
      if (!(await settings.read()).serviceFailures || !(await claimAlert(trouble, deps))) return
    } catch (error) {
      // The next failure is told.
      log.warn({ ...errorFacts(error), trouble }, 'admins not told')
      return
    }
    for (const adminId of adminIds) {
      tell(adminId, trouble).catch((reason: unknown) => {
        // An admin who never wrote to the bot cannot be reached by it.
        log.warn({ ...errorFacts(reason), adminId, trouble }, 'admin not told')
      })
    }
  }

  async function tell(chatId: number, trouble: Trouble): Promise<void> {
    const user = await prisma.user.findUnique({ where: { id: chatId } })
    const text = texts.t(user ? languageOf(user) : undefined, KEYS[trouble])
    await outbox.send({ chatId, text }, { signal })
  }
}

export type AdminAlerts = ReturnType<typeof createAdminAlerts>
