import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/api-keys.ts'
import { type OwnLimits, setOwnLimits } from '../../src/service/ledger/rate-window.ts'
import { openReceiver } from './receiver.ts'
import { CHAT, createService, type Faults, SECRET, type Service, VIDEO } from './service.ts'

/** The service of a run, as its setup found or started it. */
export interface ServicePlace {
  baseUrl: string
  /** The only key of a service that is not ours. */
  apiKey?: string
  /** The database of our own service, in which accounts are opened. */
  databaseUrl?: string
  faults?: Faults
  callback?: { url: string; host: string; port: number }
}

declare module 'vitest' {
  interface ProvidedContext {
    service: ServicePlace
  }
}

const CREDIT_MICRO_RUB = 500_000_000n
const MANY = 1_000
const INTERFACE_LIMITS = { [CHAT]: 30, [VIDEO]: 3, [SECRET]: 10 }

let opened: Promise<Service> | undefined

/** Opens the service of this run for this worker. */
export function openService(place: ServicePlace): Promise<Service> {
  opened ??= open(place)
  return opened
}

async function open({ baseUrl, apiKey, databaseUrl, faults, callback }: ServicePlace) {
  const receiver = callback && openReceiver(callback.url, callback.port, callback.host)
  const common = {
    baseUrl,
    faults,
    fetch,
    clock: { now: () => performance.now(), sleep: (ms: number) => delay(Math.max(0, ms)) },
    receiver,
  }
  if (apiKey !== undefined) {
    return createService({ ...common, apiKey, limitedKey: apiKey, perMinute: INTERFACE_LIMITS })
  }
  const pool = new pg.Pool({ connectionString: databaseUrl ?? '', max: 1 })
  try {
    const limits = { chat: MANY, video: MANY, image: MANY }
    const keys = {
      apiKey: await openAccount(pool, limits),
      limitedKey: await openAccount(pool),
      otherKey: await openAccount(pool),
    }
    return createService({ ...common, ...keys, perMinute: { [SECRET]: 10 } })
  } finally {
    await pool.end()
  }
}

async function openAccount(pool: pg.Pool, limits?: OwnLimits): Promise<string> {
  const { id } = await createAccount(pool, { name: randomUUID(), creditMicroRub: CREDIT_MICRO_RUB })
  if (limits !== undefined) await setOwnLimits(pool, id, limits)
  return await createApiKey(pool, id)
}
