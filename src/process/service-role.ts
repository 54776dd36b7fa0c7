import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { createPriceStore } from '../service/price-watch.ts'
import type { Service, ServiceDeps, ServiceTrouble } from '../service/service.ts'
import type { ProcessContext } from './context.ts'

type Given = Pick<ServiceDeps, 'publicRoot' | 'callbackAllowBelow' | 'pictureAllowBelow'>

export interface ServiceRole extends Given {
  http: FastifyInstance
  onTrouble: (trouble: ServiceTrouble) => void
  onReload: () => void
}

/** Builds the service and opens its routes. Its code is loaded here: it takes memory. */
export async function addService(
  context: ProcessContext,
  { http, onReload, ...given }: ServiceRole,
): Promise<Service> {
  const { config, settings, ownModels, proxies, log } = context
  const { database, instance, dueRows, sweep } = context
  const { createService } = await import('../service/service.ts')
  const read = await ownModels?.useStore(createPriceStore(database.pool))
  // The stored prices count, those of the list may be others.
  if (read?.ok && !isDeepStrictEqual(read.config, settings.current())) {
    await settings.reload(() => read)
  }
  const service = createService({
    ...given,
    database,
    instance,
    dueRows,
    sweep,
    config: settings.current(),
    mediaDir: join(config.dataDir, 'media'),
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
