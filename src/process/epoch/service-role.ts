import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Service, ServiceTrouble } from '../../service/service.ts'
import type { Ground, Infrastructure } from './ground.ts'

export interface ServiceRoleDeps {
  ground: Pick<Ground, 'config' | 'settings' | 'log' | 'endings' | 'proxies'>
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
  ground: { config, settings, log, endings, proxies },
  infrastructure: { database, instance, dueRows, sweep },
  http,
  publicRoot,
  callbackAllowBelow,
  pictureAllowBelow,
  onTrouble,
  onReload,
}: ServiceRoleDeps): Promise<Service> {
  const { createService } = await import('../../service/service.ts')
  const service = createService({
    database,
    instance,
    dueRows,
    sweep,
    config: settings.current(),
    endings,
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
