import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { createPriceStore } from '../../service/price-watch.ts'
import type { Service, ServiceTrouble } from '../../service/service.ts'
import type { Ground, Infrastructure } from './ground.ts'

export interface ServiceRoleDeps {
  ground: Pick<Ground, 'config' | 'settings' | 'ownModels' | 'log' | 'unsettled' | 'proxies'>
  infrastructure: Pick<Infrastructure, 'database' | 'instance' | 'dueRows' | 'sweep'>
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
  infrastructure: { database, instance, dueRows, sweep },
  http,
  publicRoot,
  callbackAllowBelow,
  pictureAllowBelow,
  onTrouble,
  onReload,
}: ServiceRoleDeps): Promise<Service> {
  const { createService } = await import('../../service/service.ts')
  const read = await ownModels?.useStore(createPriceStore(database.pool))
  // The stored prices count, those of the list may be others.
  if (read?.ok && !isDeepStrictEqual(read.config, settings.current())) {
    await settings.reload(() => read)
  }
  const service = createService({
    database,
    instance,
    dueRows,
    sweep,
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
}
