import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../platform/database/database.ts'
import type { DueRows } from '../platform/database/due-rows.ts'
import type { Instance } from '../platform/database/instance/instance.ts'
import type { Sweep } from '../platform/database/instance/sweep.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import type { Proxies } from '../platform/http/proxies.ts'
import type { AllowedPair } from '../platform/http/url-guard.ts'
import { systemClock } from '../platform/time/clock.ts'
import { settleWithin } from '../platform/time/graceful-stop.ts'
import { createCallbacks } from './callback/callbacks.ts'
import { createOffers } from './catalogue.ts'
import { Completions } from './chat/completions.ts'
import { Unsettled } from './chat/unsettled.ts'
import type { ServiceConfig } from './config/service-config.ts'
import type { KnownRefusal } from './generation/endpoints.ts'
import { createGeneration } from './generation/generation.ts'
import { createStorage } from './generation/storage.ts'
import { createHttp } from './http/api.ts'
import { findOrCreateAccount } from './ledger/accounts.ts'
import { createProcessKey } from './ledger/api-keys.ts'
import { readLastCheck } from './ledger/check.ts'
import { KnownKeys } from './ledger/known-keys.ts'
import { Ledger } from './ledger/ledger.ts'
import { readTaskFigures } from './ledger/tasks.ts'
import { createMetrics } from './metrics.ts'
import type { LastingRefusal } from './providers/failure.ts'
import { type CostDifference, Upkeep } from './upkeep.ts'

const ENDINGS_STOP_MS = 3_000

/** The refusal of a creation whose result could not be stored. */
const DISK_SHORT: KnownRefusal = {
  code: 503,
  message: 'There is no room for results now.',
  retryAfterMs: 60_000,
}

/** A result that is not taken, a provider that takes nothing of ours, or one that reports other costs. */
export type ServiceTrouble = 'storage_unavailable' | LastingRefusal | CostDifference

export interface ServiceDeps {
  database: Pick<Database, 'pool'>
  /** This process: once it is dead, others end the holds and tasks it had leased. */
  instance: Instance
  dueRows: DueRows
  sweep: Pick<Sweep, 'add'>
  config: ServiceConfig
  mediaDir: string
  /** Root of the links to them, without a slash at the end. */
  publicRoot: () => string
  callbackAllow: ReadonlySet<AllowedPair>
  /** The URL below which callbacks may go, too, on any host: a bot in the same process takes them there. */
  callbackAllowBelow?: string | undefined
  corsOrigins?: ReadonlySet<string>
  resultAllow: ReadonlySet<AllowedPair>
  proxies?: Proxies | undefined
  onTrouble?: (trouble: ServiceTrouble) => void
  log: FastifyBaseLogger
}

export type Service = ReturnType<typeof createService>

/** Wires the modules of the Generation and Chat Service. Nothing runs before `start()`, but requests are answered. */
export function createService(deps: ServiceDeps) {
  const { database, instance, config, mediaDir, publicRoot, log } = deps
  const { proxies, onTrouble = () => {} } = deps
  const { pool } = database
  const base = { database, pool, instance, dueRows: deps.dueRows, log }
  const ledger = new Ledger(pool)
  const unsettled = new Unsettled(ledger)
  const resultGuard = { allow: new Set([...deps.callbackAllow, ...deps.resultAllow]), proxies }
  const storage = createStorage({ mediaDir, guard: resultGuard })
  const metrics = createMetrics({
    readTaskFigures: () => readTaskFigures(pool),
    readLastCheck: () => readLastCheck(pool),
    readDiskBytes: storage.freeBytes,
    listRests: () => offers.listRests(),
  })
  const troubles = foldRepeats(log)
  const keys = new KnownKeys(pool)
  const onProviderRefused = onTrouble
  const completions = new Completions({ ...base, ledger, unsettled, metrics, onProviderRefused })
  const callbacks = createCallbacks({
    ...base,
    allow: deps.callbackAllow,
    allowBelow: deps.callbackAllowBelow,
    onAttempt: metrics.callbackAttempted,
  })
  const offers = createOffers(config, { proxies })
  const generation = createGeneration({
    ...base,
    publicRoot,
    callbacks,
    storage,
    endpoints: { get: offers.findKnown },
    metrics,
    onTrouble,
  })
  const upkeep = new Upkeep({
    ...base,
    config: config.retention ?? {},
    removeFiles: storage.remove,
    onDifference: onTrouble,
  })
  const plugin = createHttp({
    pool,
    keys,
    completions,
    callbacks,
    metrics,
    offers,
    mediaDir,
    publicRoot,
    findShortage,
    unsettled,
    instance,
    clock: systemClock,
    corsOrigins: deps.corsOrigins,
  })

  return {
    plugin,
    readMetrics: metrics.text,
    makesVideos: offers.makesVideos,
    /** Sells by another config from here on. If it throws, nothing has changed. */
    sellBy: offers.replace,
    start,
    stop,
    ensureAccount,
  }

  async function start(): Promise<void> {
    await deps.sweep.add(async () => {
      const ended = await ledger.takeOver()
      if (ended.released + ended.captured > 0) {
        log.warn(ended, 'requests of dead processes taken over')
      }
    })
    callbacks.start()
    await generation.start()
    upkeep.start()
  }

  /**
   * Lets open requests and the work beside them end, up to `timeoutMs`.
   * @param whenLeft Resolves when no client is connected. @param endsMs The least wait for ends to be stored.
   */
  async function stop(
    timeoutMs: number,
    whenLeft?: Promise<unknown>,
    endsMs = ENDINGS_STOP_MS,
  ): Promise<void> {
    const untilMs = performance.now() + timeoutMs
    await Promise.all([
      settleWithin([whenLeft], timeoutMs).then(() => completions.stop(untilMs - performance.now())),
      generation.stop(timeoutMs),
      callbacks.stop(timeoutMs),
      upkeep.stop(),
    ])
    await unsettled.settle(Math.max(endsMs, untilMs - performance.now()))
  }

  /** Refuses creations on the last gigabyte of the disk, which is PostgreSQL's. */
  async function findShortage(): Promise<KnownRefusal | undefined> {
    if (!(await storage.isShort())) return undefined
    troubles.error(
      { bytes: await storage.freeBytes() },
      'creations refused: the disk is nearly full',
    )
    onTrouble('storage_unavailable')
    return DISK_SHORT
  }

  /** Makes sure of an account for a bot in the same process, with a key that is valid while the process lives. */
  async function ensureAccount(account: { name: string; creditMicroRub: bigint }) {
    const { id: accountId } = await findOrCreateAccount(pool, account)
    const apiKey = await createProcessKey(pool, { accountId, instanceId: instance.id })
    return { accountId, apiKey }
  }
}
