import type { FastifyInstance } from 'fastify'
import type { Bot } from '../bot/bot.ts'
import type { StoredPictures } from '../bot/media/stored-pictures.ts'
import { type AllowedPair, toOwnPairs } from '../platform/http/url-guard.ts'
import type { Service } from '../service/service.ts'
import type { Config } from './config.ts'
import type { ProcessContext, Telegram } from './context.ts'
import { createReach, type HealthCheck } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'
import { createServiceTrial, tryService } from './remote-service.ts'

/**
 * The bot's account in the embedded service. Its balance never runs out; the limit for everybody bounds the spending.
 * A JSON number can still hold each millionth of it.
 */
export const BOT_ACCOUNT = { name: 'bot', creditMicroRub: 1_000_000_000_000_000n }

export interface BotRoutes {
  webhook: Webhook | undefined
  storedPictures: StoredPictures
}

interface Webhook {
  publicUrl: string
  secret: string
  receive?: Bot['receive']
}

/**
 * Opens the routes of the bot, which is possible only before the server listens. While there is no bot, callbacks fail,
 * and the service sends them again.
 */
export async function openBotRoutes(
  { config, database, telegram }: ProcessContext,
  http: FastifyInstance,
  findBot: () => Bot | undefined,
): Promise<BotRoutes> {
  const { createPicturesPlugin } = await import('../bot/media/stored-pictures.ts')
  const { createStoredPictures } = await import('../bot/media/stored-pictures.ts')
  const { createCallbackPlugin } = await import('../bot/media/callbacks.ts')
  const { createPagePlugin } = await import('../bot/admin/page/server.ts')
  const { publicUrl } = config
  const webhook = await addWebhook(config, http)
  const storedPictures = createStoredPictures(database)
  await http.register(createPicturesPlugin(storedPictures))
  await http.register(
    createCallbackPlugin({ receive: (callback) => findBot()?.receiveCallback(callback) }),
  )
  await http.register(
    createPagePlugin({
      publicUrl,
      framedBy: originsOf(telegram),
      findPage: () => findBot()?.adminPage,
    }),
  )
  return { webhook, storedPictures }
}

async function addWebhook(
  { secrets, publicUrl }: Config,
  http: FastifyInstance,
): Promise<Webhook | undefined> {
  const { botToken, webhookSecret: secret } = secrets
  if (secret === undefined || publicUrl === undefined || botToken === undefined) return undefined
  const { createWebhookPlugin } = await import('../bot/telegram/webhook.ts')
  const webhook: Webhook = { publicUrl, secret }
  await http.register(
    createWebhookPlugin({ secret, receive: (update) => webhook.receive?.(update) }),
  )
  return webhook
}

function originsOf(telegram: Telegram | undefined): string[] {
  if (telegram?.isPlayground !== true || telegram.apiRoot === undefined) return []
  const { port } = new URL(telegram.apiRoot)
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
}

interface BotSurroundings {
  routes: BotRoutes
  service: Service | undefined
  address: string
  /** The root of the embedded service. */
  insideRoot: string | undefined
}

export interface AddedBot {
  bot: Bot
  doors: Awaited<ReturnType<Bot['start']>>
  checks: HealthCheck[]
  serviceTrouble: string | undefined
}

/** Builds and starts the bot. Its code is loaded here: it takes memory. */
export async function addBot(
  context: ProcessContext,
  { routes, service, address, insideRoot }: BotSurroundings,
): Promise<AddedBot> {
  const { config, log, telegram, proxies, lifecycle, database, instance } = context
  const { notifications, sweep } = context
  if (telegram === undefined) throw new TypeError('The context of a bot has its Telegram')
  const { createServiceClient } = await import('../contract/client/service-client.ts')
  const { createBot } = await import('../bot/bot.ts')
  const { openPrisma } = await import('../platform/database/prisma.ts')
  const prisma = openPrisma(database.pool)
  lifecycle.add(() => prisma.$disconnect())
  const ofActive = async (ask: () => Promise<unknown>) => bot.isActive() && (await ask())
  const telegramReach = createReach({ ask: (signal) => ofActive(() => bot.askTelegram(signal)) })
  const serviceReach = createReach({ ask: (signal) => ofActive(() => client.models({ signal })) })
  const { webhook, storedPictures } = routes
  const { remoteServiceUrl, publicUrl, access, chat } = config
  const isServiceInside = service !== undefined && remoteServiceUrl === undefined
  const { baseUrl, apiKey } = await findService({ config, service, insideRoot })
  // The embedded service is this very process, and its results are here, or in a bucket of the operator's.
  const serviceProxies = remoteServiceUrl === undefined ? undefined : proxies.upstream
  const client = createServiceClient({
    baseUrl,
    apiKey,
    proxies: serviceProxies,
    whenAllowed: instance.leased,
    onAnswer: serviceReach.recordAnswer,
  })
  lifecycle.add(() => client.close())
  const bot = createBot({
    token: telegram.token,
    apiRoot: telegram.apiRoot,
    proxies: proxies.telegram,
    isPlayground: telegram.isPlayground,
    database,
    prisma,
    instance,
    notifications,
    sweep,
    webhook,
    limits: config.telegram.sendLimits,
    serviceLimits: config.serviceLimits,
    service: client,
    isServiceInside,
    storedPictures,
    // An embedded service that fetches pictures by itself takes them from this very process.
    pictureRoot: () => publicUrl ?? (service?.fetchesPictures() ? address : undefined),
    callbackRoot: service === undefined ? publicUrl : address,
    publicUrl,
    localRoot: address,
    resultAllow: resultHosts(config, address),
    serviceProxies,
    settings: {
      ...access,
      ...chat,
      mediaPricesMicroRub: config.mediaPricesMicroRub,
      spendsOwnMoney: isServiceInside,
      budgetMicroRub: config.budgetMicroRub,
      retention: config.botRetention,
    },
    onTelegramAnswer: telegramReach.recordAnswer,
    log,
  })
  lifecycle.add((timeoutMs) => bot.stop(timeoutMs))
  if (webhook !== undefined) {
    webhook.receive = (update) => {
      telegramReach.recordAnswer()
      return bot.receive(update)
    }
  }
  const doors = await Promise.race([bot.start(), bot.whenFailed])
  const checks = [keepReached(telegramReach, 'Telegram was not reached lately', lifecycle)]
  // The embedded service is this very process.
  if (service === undefined) {
    checks.push(keepReached(serviceReach, 'the service was not reached lately', lifecycle))
  }
  const asActive = (check: HealthCheck) => () => (bot.isActive() ? check() : undefined)
  if (remoteServiceUrl === undefined) {
    return { bot, doors, checks: checks.map(asActive), serviceTrouble: undefined }
  }
  const trial = createServiceTrial({
    ask: (signal) => tryService(client, signal),
    alertAdmins: bot.alertAdmins,
    onAnswering: () => bot.refreshOffers(),
    log,
  })
  lifecycle.add(trial.stop)
  const serviceTrouble = await trial.begin()
  return { bot, doors, checks: [...checks, trial.findReason].map(asActive), serviceTrouble }
}

type Reach = ReturnType<typeof createReach>

function keepReached(reach: Reach, reason: string, lifecycle: Lifecycle): HealthCheck {
  const stop = reach.start()
  lifecycle.add(async () => stop())
  return () => (reach.isReached() ? undefined : reason)
}

async function findService({
  config,
  service,
  insideRoot,
}: {
  config: Config
  service: Service | undefined
  insideRoot: string | undefined
}): Promise<{ baseUrl: string; apiKey: string }> {
  const { remoteServiceUrl: baseUrl, secrets } = config
  if (baseUrl !== undefined && secrets.serviceApiKey !== undefined) {
    return { baseUrl, apiKey: secrets.serviceApiKey }
  }
  if (service === undefined) throw new TypeError('readConfig() lets no bot run without a service')
  const { apiKey } = await service.ensureAccount(BOT_ACCOUNT)
  return { baseUrl: `${insideRoot}/api/v1`, apiKey }
}

function resultHosts(config: Config, address: string): ReadonlySet<AllowedPair> {
  const { remoteServiceUrl, publicUrl, callbackAllow, resultAllow } = config
  const bucketUrl = config.service.storage?.public_url
  const own = [remoteServiceUrl, address, publicUrl, bucketUrl]
    .filter((root) => root !== undefined)
    .flatMap(toOwnPairs)
  return new Set([...own, ...callbackAllow, ...resultAllow])
}
