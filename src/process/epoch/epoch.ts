import type { ProviderRefusal } from '../../bot/alerts/service-troubles.ts'
import type { Bot } from '../../bot/bot.ts'
import { PICTURE_PATH } from '../../bot/media/picture/picture-token.ts'
import { CALLBACK_PATH } from '../../bot/media/task/callback-urls.ts'
import { findWorking } from '../../platform/database/instance/instance-row.ts'
import type { Lifecycle } from '../../platform/time/lifecycle.ts'
import type { UpstreamTrouble } from '../../service/config/openai/list-models.ts'
import type { Service, ServiceTrouble } from '../../service/service.ts'
import { describeStart, type Started } from '../describe-start.ts'
import { giveBackMemory } from '../give-back-memory.ts'
import type { HealthCheck } from '../health.ts'
import { createHttpServer } from '../http-server.ts'
import { serveMetrics } from '../process-metrics.ts'
import { nameProxies } from '../process-proxies.ts'
import { type AddedBot, addBot, BOT_ACCOUNT, openBotRoutes } from './bot-role.ts'
import { type Ground, type Infrastructure, openInfrastructure, rejectWhenLost } from './ground.ts'
import { addService } from './service-role.ts'

/**
 * One life of a process's roles, under one instance. Where the lease of the instance is lost, all that the roles
 * worked on is another process's, or will be: they are stopped, and built again in another epoch.
 */
export interface Epoch {
  /** Rejects with a `LeaseLostError`, also when the epoch was stopped, or if a part cannot go on; never resolves. */
  whenOver: Promise<never>
}

/**
 * Builds and starts the roles. What has been started is ended by `lifecycle`, also where this throws.
 *
 * @throws {LeaseLostError} If the lease is lost meanwhile: nothing that is tried again would succeed without it.
 */
export async function beginEpoch(ground: Ground, lifecycle: Lifecycle): Promise<Epoch> {
  const { config, build, ownModels, log, health, metrics, listener, proxies } = ground
  const infrastructure = await openInfrastructure(ground, lifecycle)
  const { instance } = infrastructure
  const { trustedProxies } = config
  const http = createHttpServer({ log, trustedProxies, onUnrouted: metrics.requestUnrouted })
  const address = addressOf(listener.bound.port, config.listen.host)
  const publicRoot = () => config.publicUrl ?? address
  const hasBot = config.roles.has('bot')
  let bot: Bot | undefined
  /** The troubles of a service that began before the bot. */
  const early: ServiceTrouble[] = []
  const service = config.roles.has('service')
    ? await addService({
        ground,
        infrastructure,
        http,
        publicRoot,
        callbackAllowBelow: hasBot ? `${address}${CALLBACK_PATH}/` : undefined,
        pictureAllowBelow: hasBot ? `${publicRoot()}${PICTURE_PATH}` : undefined,
        onTrouble: (trouble) =>
          bot === undefined ? early.push(trouble) : bot.alertAdmins(trouble),
        onReload: () => bot?.refreshOffers(),
      })
    : undefined
  const findBot = () => bot
  const routes = hasBot ? await openBotRoutes({ ground, infrastructure, http, findBot }) : undefined
  const databaseChecks = databaseChecksOf(infrastructure)
  serveMetrics(http, {
    process: metrics,
    isReady: () => health.report().ready,
    isDatabaseReady: () => databaseChecks.every((check) => check() === undefined),
    parts: service === undefined ? [] : [service.readMetrics],
  })
  const served = await listener.serve(http)
  lifecycle.add(served.end)
  if (service !== undefined) {
    await service.start()
    lifecycle.add((timeoutMs) => service.stop(timeoutMs, served.drain()))
  }
  const leaseCheck = () => (instance.lost.aborted ? 'the lease was lost' : undefined)
  const checks = [...databaseChecks, leaseCheck]
  let added: AddedBot | undefined
  if (routes !== undefined) {
    const insideRoot = service && (await listener.openInside())
    added = await addBot({
      ground,
      infrastructure,
      routes,
      lifecycle,
      service,
      address,
      insideRoot,
    })
    bot = added.bot
    for (const trouble of early.splice(0)) bot.alertAdmins(trouble)
    checks.push(...added.checks)
  }
  ownModels?.watch((trouble) =>
    bot?.alertAdmins('sentence' in trouble ? toRefusal(trouble) : trouble),
  )
  const endHealth = health.begin(checks)
  lifecycle.add(async () => endHealth())
  // Nobody new comes in while the roles end. What is in is served by them.
  lifecycle.add(async () => void served.drain())
  await reportStart({ ground, address, service, added })
  if (service !== undefined) await warnOfOwnDisks(ground, infrastructure)
  log.info(
    {
      ...build,
      address,
      roles: [...config.roles],
      epoch: instance.id,
      proxies: nameProxies(proxies),
    },
    'ready',
  )
  // The program that started this process may wait for this line.
  log.flush()
  giveBackMemory()
  const lost = rejectWhenLost(instance)
  return { whenOver: Promise.race(bot === undefined ? [lost] : [lost, bot.whenFailed]) }
}

function databaseChecksOf({
  database,
  instance,
}: Pick<Infrastructure, 'database' | 'instance'>): HealthCheck[] {
  return [
    () => (instance.isInTouch() ? undefined : 'the database does not answer'),
    () => (database.isOpen() ? undefined : 'the database takes no connections'),
    () => (database.isFull() ? 'no connection to the database is free' : undefined),
    () => (database.hasRoom() ? undefined : 'the disk of the database is full'),
    () => (database.fitsSchema() ? undefined : 'the schema of the database is of another version'),
  ]
}

function toRefusal({ kind, upstream, status, said }: UpstreamTrouble): ProviderRefusal {
  const failure = { kind, status, explanation: said }
  return { upstream, failure, workedAt: new Date(0) }
}

async function reportStart({
  ground: { config, build, settings, ownModels, findTelegram, operator, proxies },
  address,
  service,
  added,
}: {
  ground: Ground
  address: string
  service: Service | undefined
  added: AddedBot | undefined
}): Promise<void> {
  const { doors, serviceTrouble } = added ?? {}
  const telegram = doors === undefined ? undefined : await findTelegram()
  // A bot in the same process is a customer enough.
  const isAlone = !config.roles.has('bot')
  const isFresh =
    isAlone && service !== undefined && !(await service.hasOtherAccount(BOT_ACCOUNT.name))
  const [model] = settings.current().chat.models
  const pageUrl = telegram?.pageUrl
  const started: Started = {
    version: build.version,
    roles: config.roles,
    address,
    publicUrl: config.publicUrl,
    remoteServiceUrl: config.remoteServiceUrl,
    serviceFile: config.serviceFile,
    databaseUrl: config.databaseUrl,
    rootDir: config.rootDir,
    dataDir: config.dataDir,
    proxies: nameProxies(proxies),
    doors,
    playground: pageUrl === undefined ? undefined : { pageUrl, host: config.listen.host },
    firstModel: isFresh ? model?.id : undefined,
    ownModels,
    serviceTrouble: serviceTrouble?.sentence,
  }
  operator.write(describeStart(started, { isTerminal: operator.isAtTerminal }))
  if (pageUrl !== undefined) operator.open(pageUrl)
}

async function warnOfOwnDisks(
  { config, settings, log }: Pick<Ground, 'config' | 'settings' | 'log'>,
  { database: { pool }, instance }: Pick<Infrastructure, 'database' | 'instance'>,
): Promise<void> {
  if (config.publicUrl !== undefined || settings.current().storage !== undefined) return
  const living = await Promise.all([findWorking(pool, 'service'), findWorking(pool, 'bot')])
  if (living.flat().every((id) => id === instance.id)) return
  log.warn(
    'PUBLIC_URL is not set, and other processes are on the database: a result that one of them keeps on its disk is refused by the others; set PUBLIC_URL, and share DATA_DIR/media or set a bucket (docs/scale.md)',
  )
}

function addressOf(port: number, host: string): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
