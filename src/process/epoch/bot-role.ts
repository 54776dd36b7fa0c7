import type { FastifyInstance } from 'fastify'
import type { Bot } from '../../bot/bot.ts'
import type { StoredPictures } from '../../bot/media/picture/stored-pictures.ts'
import type { GivenCallback } from '../../bot/media/task/receive-callback.ts'
import { type AllowedPair, toOwnPairs } from '../../platform/http/outside-url.ts'
import type { Lifecycle } from '../../platform/time/lifecycle.ts'
import type { Service } from '../../service/service.ts'
import type { Config } from '../config/config.ts'
import type { Started } from '../describe-start.ts'
import type { HealthCheck } from '../health.ts'
import { type Ground, type Infrastructure, rejectWhenLost, type Telegram } from './ground.ts'
import { createReach, type Reach } from './reach.ts'
import { createServiceTrial } from './service-trial.ts'
import { type RemoteTrouble, tryService } from './try-service.ts'

/**
 * The account that the bot has in the embedded service. Its roubles are nobody's, so there are more than are ever spent,
 * and still so few that a number of JSON holds each millionth: what the bot may spend, the limit for everybody says.
 */
export const BOT_ACCOUNT = { name: 'bot', creditMicroRub: 1_000_000_000_000_000n }

/** The routes of the bot, and what its parts share with them. */
export interface BotRoutes {
  webhook: Webhook | undefined
  storedPictures: StoredPictures
}

interface Webhook {
  publicUrl: string
  secret: string
  receive?: Bot['receive']
}

async function addWebhook(
  { secrets, publicUrl }: Config,
  http: FastifyInstance,
): Promise<Webhook | undefined> {
  const { botToken, webhookSecret: secret } = secrets
  if (secret === undefined || publicUrl === undefined || botToken === undefined) return undefined
  const { createWebhookPlugin } = await import('../../bot/telegram/inbox/webhook.ts')
  const webhook: Webhook = { publicUrl, secret }
  await http.register(
    createWebhookPlugin({ secret, receive: (update) => webhook.receive?.(update) }),
  )
  return webhook
}

/** Opens the routes of the bot, which is possible before the server listens only. */
export async function openBotRoutes({
  ground,
  infrastructure,
  http,
  findBot,
}: {
  ground: Pick<Ground, 'config' | 'findTelegram'>
  infrastructure: Pick<Infrastructure, 'database'>
  http: FastifyInstance
  findBot: () => Bot | undefined
}): Promise<BotRoutes> {
  const webhook = await addWebhook(ground.config, http)
  const storedPictures = await addPictures(infrastructure, http)
  await addCallbacks(http, findBot)
  await addDashboard(ground, http, findBot)
  return { webhook, storedPictures }
}

async function addPictures(
  { database }: Pick<Infrastructure, 'database'>,
  http: FastifyInstance,
): Promise<StoredPictures> {
  const { createPicturesPlugin } = await import('../../bot/media/picture/picture-route.ts')
  const { createStoredPictures } = await import('../../bot/media/picture/stored-pictures.ts')
  const storedPictures = createStoredPictures(database)
  await http.register(createPicturesPlugin(storedPictures))
  return storedPictures
}

/** Opens the route of callbacks. While there is no bot they fail, and the service sends them again. */
async function addCallbacks(http: FastifyInstance, findBot: () => Bot | undefined): Promise<void> {
  const { createCallbackPlugin } = await import('../../bot/media/task/callback-route.ts')
  const receive = (callback: GivenCallback) => findBot()?.receiveCallback(callback)
  await http.register(createCallbackPlugin({ receive }))
}

async function addDashboard(
  { config: { publicUrl }, findTelegram }: Pick<Ground, 'config' | 'findTelegram'>,
  http: FastifyInstance,
  findBot: () => Bot | undefined,
): Promise<void> {
  const { createDashboardPlugin } = await import('../../bot/admin/dashboard/dashboard-plugin.ts')
  const findDashboard = () => findBot()?.dashboard
  const framedBy = originsOf(await findTelegram())
  await http.register(createDashboardPlugin({ publicUrl, framedBy, findDashboard }))
}

function originsOf({ isPlayground, apiRoot }: Telegram): string[] {
  if (!isPlayground || apiRoot === undefined) return []
  const { port } = new URL(apiRoot)
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
}

export interface BotRoleDeps {
  ground: Pick<Ground, 'config' | 'log' | 'findTelegram' | 'modelList' | 'proxies'>
  infrastructure: Infrastructure
  routes: BotRoutes
  lifecycle: Lifecycle
  service: Service | undefined
  address: string
  insideRoot: string | undefined
}

/** A bot that has started. */
export interface AddedBot {
  bot: Bot
  doors: Started['doors']
  checks: HealthCheck[]
  serviceTrouble: RemoteTrouble | undefined
}

/** Builds and starts the bot. Its code is loaded here: it takes memory. */
export async function addBot({
  ground: { config, log, findTelegram, modelList, proxies },
  infrastructure: { database, instance, notifications, sweep, dueRows },
  routes: { webhook, storedPictures },
  lifecycle,
  service,
  address,
  insideRoot,
}: BotRoleDeps): Promise<AddedBot> {
  const { createServiceClient } = await import('../../contract/client/service-client.ts')
  const { createBot } = await import('../../bot/bot.ts')
  const { openPrisma } = await import('../../platform/database/prisma.ts')
  const prisma = openPrisma(database.pool)
  lifecycle.add(() => prisma.$disconnect())
  const telegramReach = createReach({ ask: (signal) => bot.askTelegram(signal) })
  const serviceReach = createReach({ ask: (signal) => client.models({ signal }) })
  const { baseUrl, apiKey } = await findService({ config, service, insideRoot })
  // The embedded service is this very process, and its results are here, or in a bucket of the operator's.
  const serviceProxies = config.remoteServiceUrl === undefined ? undefined : proxies.upstream
  const client = createServiceClient({
    baseUrl,
    apiKey,
    proxies: serviceProxies,
    whenAllowed: instance.leased,
    onAnswer: serviceReach.recordAnswer,
  })
  lifecycle.add(() => client.close())
  const { token, apiRoot, isPlayground } = await findTelegram()
  const bot = createBot({
    token,
    apiRoot,
    proxies: proxies.telegram,
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
    modelList,
    isServiceInside: service !== undefined && config.remoteServiceUrl === undefined,
    storedPictures,
    // An embedded service that fetches pictures by itself takes them from this very process.
    pictureRoot: () => config.publicUrl ?? (service?.fetchesPictures() ? address : undefined),
    callbackRoot: service === undefined ? config.publicUrl : address,
    publicUrl: config.publicUrl,
    localRoot: address,
    clipAllow: clipHosts(config, address),
    serviceProxies,
    settings: {
      adminIds: config.access.adminIds,
      viewerIds: config.access.viewerIds,
      allowedUserIds: config.access.allowedUserIds,
      defaultModel: config.chat.defaultModel,
      systemPrompt: config.chat.systemPrompt,
      maxTokens: config.chat.maxTokens,
      timeZone: config.chat.timeZone,
      mediaPricesMicroRub: config.mediaPricesMicroRub,
      spendsOwnMoney: service !== undefined && config.remoteServiceUrl === undefined,
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
  const doors = await Promise.race([bot.start(), bot.whenFailed, rejectWhenLost(instance)])
  const checks = [keepReached(telegramReach, 'Telegram was not reached lately', lifecycle)]
  // The embedded one is this very process.
  if (service === undefined) {
    checks.push(keepReached(serviceReach, 'the service was not reached lately', lifecycle))
  }
  let serviceTrouble: RemoteTrouble | undefined
  if (config.remoteServiceUrl !== undefined) {
    const trial = createServiceTrial({
      ask: (signal) => tryService({ baseUrl, apiKey, proxies: serviceProxies }, signal),
      alertAdmins: bot.alertAdmins,
      onAnswering: () => bot.refreshOffers(),
      log,
    })
    lifecycle.add(trial.stop)
    serviceTrouble = await trial.begin()
    checks.push(trial.findReason)
  }
  return { bot, doors, checks, serviceTrouble }
}

function keepReached(reach: Reach, reason: string, lifecycle: Lifecycle): HealthCheck {
  reach.start()
  lifecycle.add(async () => reach.stop())
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

function clipHosts(config: Config, address: string): ReadonlySet<AllowedPair> {
  const { remoteServiceUrl, publicUrl, callbackAllow, resultAllow } = config
  const bucketUrl = config.service.storage?.public_url
  const own = [remoteServiceUrl, address, publicUrl, bucketUrl]
    .filter((root) => root !== undefined)
    .flatMap(toOwnPairs)
  return new Set([...own, ...callbackAllow, ...resultAllow])
}
