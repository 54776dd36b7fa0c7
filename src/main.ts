import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Bot } from './bot/bot.ts'
import { SettingRefusedError } from './bot/telegram/errors.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Database, openDatabase } from './database/database.ts'
import { DataDirInUseError, startEmbeddedDatabase } from './database/embedded.ts'
import { type Instance, registerInstance } from './database/instance.ts'
import { MigrationError, migrate } from './database/migrate.ts'
import { createNotifications } from './database/notifications.ts'
import { type Sweep, startSweep } from './database/sweep.ts'
import { readEnvironment } from './environment.ts'
import { closeHttpServer, createHttpServer } from './http-server.ts'
import { createDueRows, type DueRows } from './jobs/due-rows.ts'
import { createLog, openLogOutput } from './log.ts'
import { serveMetrics } from './process-metrics.ts'
import type { Service } from './service/service.ts'
import { createLifecycle, type Lifecycle } from './time/lifecycle.ts'

/** Everything has ended by then: open replies get what the other parts leave of it. */
const STOP_MS_MAX = 23_000
/** Streams that are open run so long, then break off by rule. */
const SERVICE_STOP_MS = 20_000

/** The account that the bot has in the embedded service; its roubles are the operator's own. */
const BOT_ACCOUNT = { name: 'bot', creditMicroRub: 1_000_000_000_000n }

/** What every role stands on. The rooms of a role are loaded when it is built: they take memory. */
interface Infrastructure {
  database: Database
  instance: Instance
  sweep: Sweep
  dueRows: DueRows
}

/** @returns What to wait for once everything runs: it rejects if a part cannot go on, and never resolves. */
async function run(
  config: Config,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<{ whenFailed: Promise<never> }> {
  const infrastructure = await openInfrastructure(config, log, lifecycle)
  const http = createHttpServer({ log })
  http.get('/healthz', async (_request, reply) => {
    const ready = lifecycle.isReady()
    return reply.code(ready ? 200 : 503).send({ ready })
  })
  let address = ''
  const publicRoot = () => config.publicUrl ?? address
  const service = config.roles.has('service')
    ? await addService(config, log, infrastructure, { http, publicRoot })
    : undefined
  const webhook = config.roles.has('bot') ? await addWebhook(config, http) : undefined
  serveMetrics(http, service === undefined ? [] : [service.readMetrics])
  await http.listen(config.listen)
  lifecycle.add((timeoutMs) => closeHttpServer(http, timeoutMs))
  address = addressOf(http.server.address(), config.listen.host)
  if (service !== undefined) {
    await service.start()
    lifecycle.add((timeoutMs) => service.stop(Math.min(timeoutMs, SERVICE_STOP_MS)))
  }
  const { whenFailed } = config.roles.has('bot')
    ? await addBot(config, log, infrastructure, { lifecycle, service, address, webhook })
    : { whenFailed: new Promise<never>(() => {}) }
  lifecycle.markReady()
  log.info({ address, roles: [...config.roles] }, 'ready')
  // The one that started the process waits for this line.
  log.flush()
  return { whenFailed }
}

async function openInfrastructure(
  config: Config,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<Infrastructure> {
  const url = config.databaseUrl ?? (await openEmbedded(config.dataDir, lifecycle))
  const applied = await migrate(url)
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  const onError = (error: Error) => log.error({ err: error }, 'database trouble')
  const database = openDatabase({ url, onIdleError: onError })
  lifecycle.add(() => database.close())
  const instance = await registerInstance(url, onError, config.roles)
  lifecycle.add(() => instance.release())
  const { pool } = database
  const sweep = startSweep({ pool, log })
  lifecycle.add(() => sweep.stop())
  const notifications = createNotifications(instance.session)
  const dueRows = createDueRows({ pool, instance, notifications, log })
  return { database, instance, sweep, dueRows }
}

async function openEmbedded(dataDir: string, lifecycle: Lifecycle): Promise<string> {
  const embedded = await startEmbeddedDatabase({ dataDir })
  lifecycle.add(() => embedded.stop())
  return embedded.url
}

async function addService(
  config: Config,
  log: Logger,
  infrastructure: Infrastructure,
  { http, publicRoot }: { http: FastifyInstance; publicRoot: () => string },
): Promise<Service> {
  const { createService } = await import('./service/service.ts')
  const service = createService({
    ...infrastructure,
    config: config.service,
    mediaDir: join(config.dataDir, 'media'),
    publicRoot,
    callbackAllow: config.callbackAllow,
    log,
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
  const { createWebhookPlugin } = await import('./bot/telegram/inbox/webhook.ts')
  const webhook: Webhook = { publicUrl, secret }
  await http.register(
    createWebhookPlugin({ secret, receive: (update) => webhook.receive?.(update) }),
  )
  return webhook
}

async function addBot(
  config: Config,
  log: Logger,
  infrastructure: Infrastructure,
  parts: {
    lifecycle: Lifecycle
    service: Service | undefined
    address: string
    webhook: Webhook | undefined
  },
): Promise<{ whenFailed: Promise<never> }> {
  const { createServiceClient } = await import('./client/service-client.ts')
  const { createBot } = await import('./bot/bot.ts')
  const { lifecycle, webhook } = parts
  const { token, apiRoot } = await findTelegram(config, lifecycle)
  const { openPrisma } = await import('./database/prisma.ts')
  const prisma = openPrisma(infrastructure.database.pool)
  lifecycle.add(() => prisma.$disconnect())
  const client = createServiceClient(await findService(config, parts))
  lifecycle.add(() => client.close())
  const bot = createBot({
    ...infrastructure,
    prisma,
    token,
    apiRoot,
    webhook,
    limits: config.telegram.sendLimits,
    serviceLimits: config.serviceLimits,
    service: client,
    settings: {
      ...config.access,
      ...config.chat,
      clipPricesMicroRub: config.clipPricesMicroRub ?? parts.service?.clipPricesMicroRub,
    },
    log,
  })
  lifecycle.add((timeoutMs) => bot.stop(timeoutMs))
  if (webhook !== undefined) webhook.receive = bot.receive
  await Promise.race([bot.start(), bot.whenFailed])
  return { whenFailed: bot.whenFailed }
}

/** Telegram, or the playground that stands in for it until there is a token. */
async function findTelegram(config: Config, lifecycle: Lifecycle) {
  const { botToken } = config.secrets
  if (botToken !== undefined) return { token: botToken, apiRoot: config.telegram.apiRoot }
  const { createPlayground } = await import('./playground/playground.ts')
  // It forgets everything when it ends, and the bot's database does not: seconds never come again.
  const idsFrom = Math.floor((Date.now() - Date.UTC(2026, 0)) / 1000)
  const playground = createPlayground({ idsFrom })
  lifecycle.add(() => playground.close())
  const { apiRoot } = await playground.listen()
  const chat = `${apiRoot}/playground/chats/1`
  // curl has had --json only since 7.82, which some systems in use do not have yet.
  const post = "curl -H 'content-type: application/json' -d"
  process.stderr.write(`
Kopeck runs without Telegram, because BOT_TOKEN is not set.

  To talk to it in Telegram:    BOT_TOKEN=123456:token-from-BotFather npm start
  To see a conversation played: npm run demo
  To talk to it from here, the playground stands in for Telegram at ${apiRoot}

    ${post} '{"text": "Hello"}' ${chat}/messages
    curl ${chat}
    ${post} '{"message_id": 1, "data": "callback_data of a button"}' ${chat}/presses

`)
  return { token: playground.token, apiRoot }
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

/** The root under which this very machine reaches the server. */
function addressOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') throw new TypeError('The server has no port')
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${bound.port}`
}

/** Reads the configuration; what is wrong with it goes to the operator without a stack trace. */
function configOrExit(): Config {
  try {
    return readConfig(readEnvironment(), process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.problems.map((problem) => `  ${problem}\n`).join('')
    process.stderr.write(`Kopeck cannot start with this configuration:\n${problems}`)
    process.exit(2)
  }
}

/** Says what an operator can mend in one sentence; the rest is told with its stack in the log. */
function reportFailure(error: Error, log: Logger, { listen }: Config): void {
  const { code } = error as NodeJS.ErrnoException
  const mendable = [DataDirInUseError, MigrationError, SettingRefusedError]
  if (mendable.some((type) => error instanceof type)) process.stderr.write(`${error.message}\n`)
  else if (code === 'EADDRINUSE') {
    process.stderr.write(`Cannot start: PORT ${listen.port} on ${listen.host} is in use\n`)
  } else log.fatal({ err: error }, 'cannot go on')
}

const config = configOrExit()
const log = createLog(config.logLevel, openLogOutput())
const lifecycle = createLifecycle({
  stopMs: STOP_MS_MAX,
  onError: (error) => log.error({ err: error }, 'cannot stop in order'),
})

async function stopAndExit(code: number): Promise<never> {
  await lifecycle.stop()
  process.exit(code)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping')
    void stopAndExit(0)
  })
}

try {
  const { whenFailed } = await run(config, log, lifecycle)
  await whenFailed
} catch (error) {
  reportFailure(error as Error, log, config)
  await stopAndExit(1)
}
