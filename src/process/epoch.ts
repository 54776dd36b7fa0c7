import { once } from 'node:events'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Bot } from '../bot/bot.ts'
import { PICTURE_PATH } from '../bot/media/picture/picture-token.ts'
import type { StoredPictures } from '../bot/media/picture/stored-pictures.ts'
import { CALLBACK_PATH } from '../bot/media/task/callback-urls.ts'
import type { GivenCallback } from '../bot/media/task/receive-callback.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'
import { type Instance, registerInstance } from '../platform/database/instance.ts'
import { createNotifications, type Notifications } from '../platform/database/notifications.ts'
import { type Sweep, startSweep } from '../platform/database/sweep.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import { type AllowedPair, toOwnPairs } from '../platform/http/outside-url.ts'
import { createDueRows, type DueRows } from '../platform/jobs/due-rows.ts'
import type { Lifecycle } from '../platform/time/lifecycle.ts'
import type { Service, ServiceTrouble } from '../service/service.ts'
import type { Config } from './config.ts'
import { giveBackMemory } from './give-back-memory.ts'
import type { Health, HealthCheck } from './health.ts'
import type { HttpListener } from './http-listener.ts'
import { createHttpServer } from './http-server.ts'
import { serveMetrics } from './process-metrics.ts'
import { createReach, type Reach } from './reach.ts'
import { answerReloads } from './reload/answer-reloads.ts'
import type { ServiceSettings } from './reload/service-settings.ts'
import { describeStart, type Started } from './start-text/describe-start.ts'

/** Streams that are open run so long, then break off by rule. */
const SERVICE_STOP_MS = 20_000

/** The account that the bot has in the embedded service; its roubles are the operator's own. */
const BOT_ACCOUNT = { name: 'bot', creditMicroRub: 1_000_000_000_000n }

/** Where the Bot API is. */
export interface Telegram {
  token: string
  /** Telegram's own where it is undefined. */
  apiRoot: string | undefined
  /** Whether the playground stands in for it. */
  isPlayground: boolean
}

/** What outlives an epoch. */
export interface Ground {
  config: Config
  /** What the service sells by: it may change while the process lives. */
  settings: ServiceSettings
  log: Logger
  databaseUrl: string
  health: Pick<Health, 'begin'>
  listener: HttpListener
  /** Of the data folder, if this process alone has it. */
  instanceName: string | undefined
  /** Telegram, or what stands in for it. The same each time. */
  findTelegram: () => Promise<Telegram>
  /** Who started the process, and reads more than the log. */
  operator: {
    write: (text: string) => void
    /** Whether that is a person at a terminal. */
    isAtTerminal: boolean
    /** Opens the page of the playground, if there is a desktop to open it on. Only once. */
    open: (address: string) => void
  }
}

/**
 * One life of a process's roles, under one instance. Where the lease of the instance is lost all that the
 * roles worked on is, or will be, another process's: they are stopped, and built anew in another epoch.
 */
export interface Epoch {
  /** Rejects with a `LeaseLostError`, also when the epoch was stopped, or if a part cannot go on; never resolves. */
  whenOver: Promise<never>
}

/** What every role stands on. The rooms of a role are loaded when it is built: they take memory. */
interface Infrastructure {
  database: Database
  instance: Instance
  notifications: Notifications
  sweep: Sweep
  dueRows: DueRows
}

/**
 * Builds and starts the roles. What has been started is ended by `lifecycle`, also where this throws.
 *
 * @throws {LeaseLostError} If the lease is lost meanwhile: nothing that is tried again would succeed without it.
 */
export async function beginEpoch(ground: Ground, lifecycle: Lifecycle): Promise<Epoch> {
  const { config, settings, log, health, listener } = ground
  const infrastructure = await openInfrastructure(ground, lifecycle)
  const { database, instance, notifications } = infrastructure
  const http = createHttpServer({ log })
  const address = addressOf(listener.bound.port, config.listen.host)
  let bot: Bot | undefined
  const publicRoot = () => config.publicUrl ?? address
  const service = config.roles.has('service')
    ? await addService(ground, infrastructure, {
        http,
        publicRoot,
        ...(config.roles.has('bot') && {
          callbackAllowBelow: `${address}${CALLBACK_PATH}/`,
          pictureAllowBelow: `${publicRoot()}${PICTURE_PATH}`,
        }),
        onTrouble: (trouble) => bot?.alertAdmins(trouble),
        onReload: () => bot?.refreshOffers(),
      })
    : undefined
  if (service !== undefined) answerReloads({ database, instance, notifications, settings, log })
  const webhook = config.roles.has('bot') ? await addWebhook(config, http) : undefined
  let storedPictures: StoredPictures | undefined
  if (config.roles.has('bot')) {
    storedPictures = await addPictures(infrastructure, http)
    await addCallbacks(http, () => bot)
    await addDashboard(ground, http, () => bot)
  }
  serveMetrics(http, service === undefined ? [] : [service.readMetrics])
  lifecycle.add(await listener.serve(http))
  if (service !== undefined) {
    await service.start()
    lifecycle.add((timeoutMs) => service.stop(Math.min(timeoutMs, SERVICE_STOP_MS)))
  }
  const checks = checksOf(infrastructure)
  let doors: Started['doors']
  if (storedPictures !== undefined) {
    const parts = { lifecycle, service, storedPictures, address, webhook }
    const added = await addBot(ground, infrastructure, parts)
    bot = added.bot
    doors = added.doors
    checks.push(...added.checks)
  }
  const endHealth = health.begin(checks)
  lifecycle.add(async () => endHealth())
  await tellStart(ground, { address, service, doors })
  log.info({ address, roles: [...config.roles], epoch: infrastructure.instance.id }, 'ready')
  // The one that started the process waits for this line.
  log.flush()
  giveBackMemory()
  const lost = rejectWhenAborted(infrastructure.instance.lost)
  return { whenOver: Promise.race(bot === undefined ? [lost] : [lost, bot.whenFailed]) }
}

async function openInfrastructure(
  { config, log, databaseUrl: url, instanceName: name }: Ground,
  lifecycle: Lifecycle,
): Promise<Infrastructure> {
  const troubles = foldRepeats(log)
  const onError = (error: Error) => troubles.error({ err: error }, 'database trouble')
  const database = openDatabase({ url, onIdleError: onError })
  lifecycle.add(() => database.close())
  const instance = await registerInstance({
    url,
    onError,
    name,
    onSilence: database.reconnect,
    works: config.roles,
  })
  lifecycle.add(() => instance.release())
  const { pool } = database
  const notifications = createNotifications(instance.session)
  const sweep = startSweep({ notifications, log: troubles })
  lifecycle.add(() => sweep.stop())
  const dueRows = createDueRows({ pool, instance, notifications, sweep, log: troubles })
  return { database, instance, notifications, sweep, dueRows }
}

/** What every role needs of the database. */
function checksOf({ database, instance }: Infrastructure): HealthCheck[] {
  return [
    () => (instance.isInTouch() ? undefined : 'the database does not answer'),
    () => (database.isOpen() ? undefined : 'the database takes no connections'),
    () => (instance.lost.aborted ? 'the lease was lost' : undefined),
  ]
}

async function addService(
  { config, settings, log }: Ground,
  { database, instance, dueRows, sweep }: Infrastructure,
  {
    http,
    publicRoot,
    callbackAllowBelow,
    pictureAllowBelow,
    onTrouble,
    onReload,
  }: {
    http: FastifyInstance
    publicRoot: () => string
    callbackAllowBelow?: string
    pictureAllowBelow?: string
    onTrouble: (trouble: ServiceTrouble) => void
    onReload: () => void
  },
): Promise<Service> {
  const { createService } = await import('../service/service.ts')
  const service = createService({
    database,
    instance,
    dueRows,
    sweep,
    config: settings.current(),
    mediaDir: join(config.dataDir, 'media'),
    publicRoot,
    callbackAllowBelow,
    pictureAllowBelow,
    onTrouble,
    callbackAllow: config.callbackAllow,
    resultAllow: config.resultAllow,
    log,
  })
  // In the same breath: no config is read between the one that it began with and those that it is told of.
  settings.serve((next) => {
    service.sellBy(next)
    onReload()
  })
  await http.register(service.plugin)
  return service
}

/** Where Telegram sends updates to. They are not taken until there is a bot. */
interface Webhook {
  publicUrl: string
  secret: string
  receive?: Bot['receive']
}

/** Opens the route while routes can be opened, which is before the server listens. */
async function addWebhook(
  { secrets, publicUrl }: Config,
  http: FastifyInstance,
): Promise<Webhook | undefined> {
  const { botToken, webhookSecret: secret } = secrets
  if (secret === undefined || publicUrl === undefined || botToken === undefined) return undefined
  const { createWebhookPlugin } = await import('../bot/telegram/inbox/webhook.ts')
  const webhook: Webhook = { publicUrl, secret }
  await http.register(
    createWebhookPlugin({ secret, receive: (update) => webhook.receive?.(update) }),
  )
  return webhook
}

/** Opens the way by which the service fetches the pictures that users sent. */
async function addPictures(
  { database }: Infrastructure,
  http: FastifyInstance,
): Promise<StoredPictures> {
  const { createPicturesPlugin } = await import('../bot/media/picture/picture-route.ts')
  const { createStoredPictures } = await import('../bot/media/picture/stored-pictures.ts')
  const storedPictures = createStoredPictures(database)
  await http.register(createPicturesPlugin(storedPictures))
  return storedPictures
}

/** Opens the way by which the service tells of the ends of tasks. Without a bot it tells again. */
async function addCallbacks(http: FastifyInstance, findBot: () => Bot | undefined): Promise<void> {
  const { createCallbackPlugin } = await import('../bot/media/task/callback-route.ts')
  const receive = (callback: GivenCallback) => findBot()?.receiveCallback(callback)
  await http.register(createCallbackPlugin({ receive }))
}

/** Opens the page of admins and viewers. Without a bot it has no data. */
async function addDashboard(
  { config: { publicUrl }, findTelegram }: Ground,
  http: FastifyInstance,
  findBot: () => Bot | undefined,
): Promise<void> {
  const { createDashboardPlugin } = await import('../bot/admin/dashboard/dashboard-plugin.ts')
  const findDashboard = () => findBot()?.dashboard
  const framedBy = originsOf(await findTelegram())
  await http.register(createDashboardPlugin({ publicUrl, framedBy, findDashboard }))
}

/** Where a browser of this machine has the page that shows Mini Apps: nowhere but with a playground. */
function originsOf({ isPlayground, apiRoot }: Telegram): string[] {
  if (!isPlayground || apiRoot === undefined) return []
  const { port } = new URL(apiRoot)
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
}

async function addBot(
  { config, log, findTelegram }: Ground,
  { database, instance, notifications, sweep, dueRows }: Infrastructure,
  parts: {
    lifecycle: Lifecycle
    service: Service | undefined
    storedPictures: StoredPictures
    address: string
    webhook: Webhook | undefined
  },
): Promise<{ bot: Bot; doors: Started['doors']; checks: HealthCheck[] }> {
  const { createServiceClient } = await import('../contract/client/service-client.ts')
  const { createBot } = await import('../bot/bot.ts')
  const { lifecycle, webhook } = parts
  const { openPrisma } = await import('../platform/database/prisma.ts')
  const prisma = openPrisma(database.pool)
  lifecycle.add(() => prisma.$disconnect())
  const telegramReach = createReach({ ask: (signal) => bot.askTelegram(signal) })
  const serviceReach = createReach({ ask: (signal) => client.models({ signal }) })
  const client = createServiceClient({
    ...(await findService(config, parts)),
    whenAllowed: instance.leased,
    onAnswer: serviceReach.note,
  })
  lifecycle.add(() => client.close())
  const { token, apiRoot, isPlayground } = await findTelegram()
  const bot = createBot({
    token,
    apiRoot,
    isPlayground,
    database,
    prisma,
    instance,
    notifications,
    sweep,
    dueRows,
    webhook,
    limits: config.telegram.sendLimits,
    serviceLimits: config.serviceLimits,
    service: client,
    storedPictures: parts.storedPictures,
    // An embedded service that fetches pictures by itself takes them from this very process.
    pictureRoot: () =>
      config.publicUrl ?? (parts.service?.fetchesPictures() ? parts.address : undefined),
    callbackRoot: parts.service === undefined ? config.publicUrl : parts.address,
    publicUrl: config.publicUrl,
    localRoot: parts.address,
    clipAllow: clipHosts(config, parts.address),
    settings: {
      ...config.access,
      ...config.chat,
      mediaPricesMicroRub: config.mediaPricesMicroRub,
    },
    onTelegramAnswer: telegramReach.note,
    log,
  })
  lifecycle.add((timeoutMs) => bot.stop(timeoutMs))
  if (webhook !== undefined) {
    webhook.receive = (update) => {
      telegramReach.note()
      return bot.receive(update)
    }
  }
  const doors = await Promise.race([bot.start(), bot.whenFailed, rejectWhenAborted(instance.lost)])
  const checks = [keepReached(telegramReach, 'Telegram was not reached lately', lifecycle)]
  // The embedded one is this very process.
  if (parts.service === undefined) {
    checks.push(keepReached(serviceReach, 'the service was not reached lately', lifecycle))
  }
  return { bot, doors, checks }
}

/** Tells who started the process what runs where, and what is left to be done by hand. */
async function tellStart(
  { config, settings, findTelegram, operator }: Ground,
  {
    address,
    service,
    doors,
  }: { address: string; service: Service | undefined; doors: Started['doors'] },
): Promise<void> {
  const telegram = doors === undefined ? undefined : await findTelegram()
  const isFresh = service !== undefined && !(await service.hasOtherAccount(BOT_ACCOUNT.name))
  const [model] = settings.current().chat.models
  const root = telegram?.isPlayground ? telegram.apiRoot : undefined
  const started = {
    ...config,
    address,
    doors,
    playground: root === undefined ? undefined : { root, host: config.listen.host },
    firstModel: isFresh ? model?.id : undefined,
  }
  operator.write(describeStart(started, { isTerminal: operator.isAtTerminal }))
  if (root !== undefined) operator.open(root)
}

/** Never resolves. */
async function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

function keepReached(reach: Reach, reason: string, lifecycle: Lifecycle): HealthCheck {
  reach.start()
  lifecycle.add(async () => reach.stop())
  return () => (reach.isReached() ? undefined : reason)
}

/** Where the bot finds its service, and with which key. */
async function findService(
  config: Config,
  { service, address }: { service: Service | undefined; address: string },
): Promise<{ baseUrl: string; apiKey: string }> {
  const { remoteServiceUrl: baseUrl, secrets } = config
  if (baseUrl !== undefined && secrets.serviceApiKey !== undefined) {
    return { baseUrl, apiKey: secrets.serviceApiKey }
  }
  if (service === undefined) throw new TypeError('readConfig() lets no bot run without a service')
  const { apiKey } = await service.ensureAccount(BOT_ACCOUNT)
  return { baseUrl: `${address}/api/v1`, apiKey }
}

/** Where the bot's service keeps its clips; the operator may name more. */
function clipHosts(config: Config, address: string): ReadonlySet<AllowedPair> {
  const { remoteServiceUrl, publicUrl, callbackAllow, resultAllow } = config
  const bucketUrl = config.service.storage?.public_url
  const own = [remoteServiceUrl, address, publicUrl, bucketUrl]
    .filter((root) => root !== undefined)
    .flatMap(toOwnPairs)
  return new Set([...own, ...callbackAllow, ...resultAllow])
}

/** The root under which this very machine reaches the server. */
function addressOf(port: number, host: string): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
