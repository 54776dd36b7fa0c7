import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { ProviderRefusal } from '../bot/admin/alerts.ts'
import type { Bot } from '../bot/bot.ts'
import { CALLBACK_PATH } from '../bot/media/addresses.ts'
import type { UpstreamTrouble } from '../service/config/openai/list-models.ts'
import type { Service, ServiceDeps, ServiceTrouble } from '../service/service.ts'
import { addBot } from './bot-role.ts'
import type { ProcessContext } from './context.ts'
import { createHttpServer } from './http-server.ts'
import { createPriceStore } from './own-models.ts'
import { reportStart } from './report-start.ts'

/** Starts the roles of the process. `whenFailed` rejects if the bot cannot continue, and never resolves. */
export async function startRoles(context: ProcessContext): Promise<{ whenFailed: Promise<never> }> {
  const { config, ownModels, log, lifecycle, health, metrics, listener } = context
  const http = createHttpServer({
    log,
    trustedProxies: config.trustedProxies,
    onUnrouted: metrics.requestUnrouted,
  })
  const address = addressOf(listener.bound.port, config.listen.host)
  const publicRoot = () => config.publicUrl ?? address
  const hasBot = config.roles.has('bot')
  /** Set before the service starts, which has no troubles until then. */
  let bot: Bot | undefined
  const service = config.roles.has('service')
    ? await addService(context, {
        http,
        publicRoot,
        callbackAllowBelow: hasBot ? `${address}${CALLBACK_PATH}` : undefined,
        onTrouble: (trouble) => bot?.alertAdmins(trouble),
        onReload: () => bot?.refreshOffers(),
      })
    : undefined
  const insideRoot = service && hasBot ? await listener.openInside() : undefined
  const role = hasBot ? await addBot(context, { http, service, insideRoot, address }) : undefined
  bot = role?.bot
  const { database, instance } = context
  const checkDatabase = () =>
    instance.isInTouch() ? database.findProblem() : 'the database does not answer'
  metrics.addState(
    'kopeck_ready',
    'the process can do its work just now, as /healthz says',
    () => health.report().ready,
  )
  metrics.addState(
    'kopeck_database_ready',
    'the database answers, takes connections and writes, and one is free in time',
    () => checkDatabase() === undefined,
  )
  metrics.serve(http, service === undefined ? [] : [service.readMetrics])
  await listener.serve(http)
  lifecycle.add(listener.end)
  if (service !== undefined) {
    await service.start()
    lifecycle.add((timeoutMs, overrunMs) => service.stop(timeoutMs, listener.drain(), overrunMs))
  }
  const started = await role?.start()
  ownModels?.watch((trouble) =>
    bot?.alertAdmins('sentence' in trouble ? toRefusal(trouble) : trouble),
  )
  const endHealth = health.begin([checkDatabase, ...(started?.checks ?? [])])
  lifecycle.add(async () => endHealth())
  // No connection comes in while the roles end. They serve the requests that are in.
  lifecycle.add(async () => void listener.drain())
  reportStart(context, { address, bot: started })
  // Without `--expose-gc` there is no such function. An idle process makes too little garbage for V8 to return the 20 MB
  // that a start no longer needs.
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' })
  return { whenFailed: bot?.whenFailed ?? new Promise(() => {}) }
}

type Given = Pick<ServiceDeps, 'publicRoot' | 'callbackAllowBelow'>

interface ServiceRole extends Given {
  http: FastifyInstance
  onTrouble: (trouble: ServiceTrouble) => void
  onReload: () => void
}

/** Builds the service and opens its routes. Its code is loaded here: it takes memory. */
async function addService(
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
  // Without an await in between, so that no config is read unnoticed.
  settings.serve((next) => {
    service.sellBy(next)
    onReload()
  })
  await http.register(service.plugin)
  return service
}

function toRefusal({ kind, upstream, status, said }: UpstreamTrouble): ProviderRefusal {
  const failure = { kind, status, explanation: said }
  return { upstream, failure }
}

function addressOf(port: number, host: string): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
