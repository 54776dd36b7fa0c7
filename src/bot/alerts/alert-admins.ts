import type { Logger } from 'pino'
import { ServiceError } from '../../contract/client/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Texts } from '../locales/texts.ts'
import type { RequestKind } from '../queue/rate-limit.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { AlertSettings } from './alert-settings.ts'
import type { NotifyAdmins } from './notify-admins.ts'
import { createServiceTroubles, type Trouble } from './service-troubles.ts'

const KEYS: Readonly<Record<Trouble, string>> = {
  insufficient_balance: 'admin-insufficient-balance',
  unauthorized: 'admin-unauthorized',
  service_unavailable: 'admin-service-unavailable',
  storage_unavailable: 'admin-storage-unavailable',
  provider_refused: 'admin-provider-refused',
  order_written_off: 'admin-order-written-off',
}

export interface AdminAlertsDeps {
  notifyAdmins: NotifyAdmins
  texts: Texts
  settings: Pick<AlertSettings, 'read'>
  clock: Clock
  log: Logger
}

/** Notifies admins of what keeps the service from answering, chats and orders alike. */
export function createAdminAlerts({ notifyAdmins, texts, settings, clock, log }: AdminAlertsDeps) {
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

  /** Reports a trouble, unless it was reported lately. Never waits and never throws. */
  function report(trouble: Trouble): void {
    notify(trouble).catch((error: unknown) => {
      // The next failure is reported.
      log.warn({ ...errorFacts(error), trouble }, 'admins not notified')
    })
  }

  async function notify(trouble: Trouble): Promise<void> {
    if (!(await settings.read()).serviceFailures) return
    const write = (languageCode: string | undefined) => texts.t(languageCode, KEYS[trouble])
    await notifyAdmins({ name: trouble, write })
  }
}

export type AdminAlerts = ReturnType<typeof createAdminAlerts>
