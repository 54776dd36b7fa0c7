import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Lifecycle } from '../../platform/time/lifecycle.ts'
import type { AskedPrices } from '../../service/price-watch.ts'
import { readStoredPrices, storePrices } from '../../service/price-watch.ts'
import type { Service, ServiceTrouble } from '../../service/service.ts'
import type { OwnModels } from '../own-models.ts'
import type { Ground, Infrastructure } from './ground.ts'

export interface ServiceRoleDeps {
  ground: Pick<Ground, 'config' | 'settings' | 'ownModels' | 'log' | 'unsettled' | 'proxies'>
  infrastructure: Pick<
    Infrastructure,
    'database' | 'instance' | 'dueRows' | 'notifications' | 'sweep'
  >
  lifecycle: Lifecycle
  http: FastifyInstance
  publicRoot: () => string
  callbackAllowBelow: string | undefined
  pictureAllowBelow: string | undefined
  onTrouble: (trouble: ServiceTrouble) => void
  onReload: () => void
}

/** Builds the service and opens its routes. Its code is loaded here: it takes memory. */
export async function addService({
  ground: { config, settings, ownModels, log, unsettled, proxies },
  infrastructure: { database, instance, dueRows, notifications, sweep },
  lifecycle,
  http,
  publicRoot,
  callbackAllowBelow,
  pictureAllowBelow,
  onTrouble,
  onReload,
}: ServiceRoleDeps): Promise<Service> {
  const { createService } = await import('../../service/service.ts')
  const askedPrices = ownModels && (await openAskedPrices(ownModels))
  const service = createService({
    database,
    instance,
    dueRows,
    sweep,
    askedPrices,
    config: settings.current(),
    unsettled,
    mediaDir: join(config.dataDir, 'media'),
    publicRoot,
    callbackAllowBelow,
    pictureAllowBelow,
    onTrouble,
    callbackAllow: config.callbackAllow,
    resultAllow: config.resultAllow,
    corsOrigins: config.corsOrigins,
    proxies: proxies.upstream,
    log,
  })
  // Without an await between: no config may be read after the one that it began with and before it hears of others.
  settings.serve((next) => {
    service.sellBy(next)
    onReload()
  })
  await http.register(service.plugin)
  return service

  /** Sells at the prices that the processes have agreed on, and stores those that this one is given. */
  async function openAskedPrices(own: OwnModels): Promise<AskedPrices> {
    const { pool } = database
    const end = own.watch({ onPrices: (baseUrl, known) => storePrices(pool, baseUrl, known) })
    lifecycle.add(async () => end())
    const asked: AskedPrices = {
      notifications,
      baseUrl: () => own.settings.baseUrl,
      ask: async () => (await settings.reload()).outcome === 'taken',
      recall: async (known) => {
        if (!own.knows(known)) await settings.reload(() => own.recall(known))
      },
    }
    const stored = await readStoredPrices(pool, asked.baseUrl())
    if (stored !== undefined) await asked.recall(stored)
    return asked
  }
}
