import type { FastifyInstance } from 'fastify'
import type { Bot } from '../bot/bot.ts'
import { type AllowedPair, toOwnPairs } from '../platform/http/url-guard.ts'
import type { Service } from '../service/service.ts'
import type { Config } from './config.ts'
import type { ProcessContext, Telegram } from './context.ts'
import { createReach, type HealthCheck } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'
import { createServiceTrial, tryService } from './remote-service.ts'

/** The bot's account never runs out of balance. A JSON number still holds each millionth of it. */
const BOT_ACCOUNT = { name: 'bot', creditMicroRub: 1_000_000_000_000_000n }

interface BotSurroundings {
  http: FastifyInstance
  service: Service | undefined
  /** The root at which this process reaches itself, also while it drains. */
  insideRoot: string | undefined
  address: string
}

export type StartedRole = Awaited<ReturnType<Awaited<ReturnType<typeof addBot>>['start']>>

/** Builds the bot and opens its routes. Its code is loaded here: it takes memory. */
export async function addBot(
  context: ProcessContext,
  { http, service, insideRoot, address }: BotSurroundings,
) {
  const { config, log, telegram, proxies, lifecycle, database, instance } = context
  const { notifications, sweep } = context
  if (telegram === undefined) throw new TypeError('The context of a bot has its Telegram')
  const { createServiceClient } = await import('../contract/client/service-client.ts')
  const { createBot } = await import('../bot/bot.ts')
  const pictures = await import('../bot/media/stored-pictures.ts')
  const { createCallbackPlugin } = await import('../bot/media/callbacks.ts')
  const { createPagePlugin } = await import('../bot/admin/page/server.ts')
  const { createWebhookPlugin } = await import('../bot/telegram/webhook.ts')
  const { openPrisma } = await import('../platform/database/prisma.ts')
  const prisma = openPrisma(database.pool)
  lifecycle.add(() => prisma.$disconnect())
  const ofActive = async (ask: () => Promise<unknown>) => bot.isActive() && (await ask())
  const telegramReach = createReach({ ask: (signal) => ofActive(() => bot.askTelegram(signal)) })
  const serviceReach = createReach({ ask: (signal) => ofActive(() => client.models({ signal })) })
  const { remoteServiceUrl, publicUrl } = config
  const isServiceInside = service !== undefined && remoteServiceUrl === undefined
  const { baseUrl, apiKey } = await findService(config, service, insideRoot)
  // The embedded service and its results are in this process.
  const serviceProxies = remoteServiceUrl === undefined ? undefined : proxies.upstream
  const client = createServiceClient({
    baseUrl,
    apiKey,
    proxies: serviceProxies,
    whenAllowed: instance.leased,
    onAnswer: serviceReach.recordAnswer,
  })
  lifecycle.add(() => client.close())
  const storedPictures = pictures.createStoredPictures(database)
  const webhook = findWebhook(config)
  const bot = createBot({
    ...telegram,
    proxies: proxies.telegram,
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
    // The demo makes videos without the picture.
    pictureRoot: () => publicUrl ?? (service?.makesVideos() ? address : undefined),
    callbackRoot: service === undefined ? publicUrl : address,
    publicUrl,
    localRoot: address,
    resultAllow: resultHosts(config, address),
    serviceProxies,
    settings: { ...config.bot, spendsOwnMoney: isServiceInside },
    onTelegramAnswer: telegramReach.recordAnswer,
    log,
  })
  await http.register(pictures.createPicturesPlugin(storedPictures))
  await http.register(createCallbackPlugin({ receive: bot.receiveCallback }))
  const { page } = bot.adminPage
  await http.register(createPagePlugin({ publicUrl, framedBy: originsOf(telegram), page }))
  if (webhook !== undefined) {
    const receive: Bot['receive'] = (update) => {
      telegramReach.recordAnswer()
      return bot.receive(update)
    }
    await http.register(createWebhookPlugin({ secret: webhook.secret, receive }))
  }
  return { bot, start }

  async function start() {
    lifecycle.add((timeoutMs) => bot.stop(timeoutMs))
    const doors = await Promise.race([bot.start(), bot.whenFailed])
    const checks = [keepReached(telegramReach, 'Telegram was not reached lately', lifecycle)]
    if (service === undefined) {
      checks.push(keepReached(serviceReach, 'the service was not reached lately', lifecycle))
    }
    let serviceTrouble: string | undefined
    if (remoteServiceUrl !== undefined) {
      const trial = createServiceTrial({
        ask: (signal) => tryService(client, signal),
        alertAdmins: bot.alertAdmins,
        onAnswering: () => bot.refreshOffers(),
        log,
      })
      lifecycle.add(trial.stop)
      serviceTrouble = await trial.begin()
      checks.push(trial.findReason)
    }
    const asActive = checks.map((check) => () => (bot.isActive() ? check() : undefined))
    return { doors, checks: asActive, serviceTrouble }
  }
}

function findWebhook({ secrets, publicUrl }: Config) {
  const { botToken, webhookSecret: secret } = secrets
  if (secret === undefined || publicUrl === undefined || botToken === undefined) return undefined
  return { publicUrl, secret }
}

function originsOf({ isPlayground, apiRoot }: Telegram): string[] {
  if (!isPlayground || apiRoot === undefined) return []
  const { port } = new URL(apiRoot)
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
}

function keepReached(
  reach: ReturnType<typeof createReach>,
  reason: string,
  lifecycle: Lifecycle,
): HealthCheck {
  const stop = reach.start()
  lifecycle.add(async () => stop())
  return () => (reach.isReached() ? undefined : reason)
}

async function findService(
  { remoteServiceUrl: baseUrl, secrets: { serviceApiKey: apiKey } }: Config,
  service: Service | undefined,
  insideRoot: string | undefined,
): Promise<{ baseUrl: string; apiKey: string }> {
  if (baseUrl !== undefined && apiKey !== undefined) return { baseUrl, apiKey }
  if (service === undefined) throw new TypeError('readConfig() lets no bot run without a service')
  const account = await service.ensureAccount(BOT_ACCOUNT)
  return { baseUrl: `${insideRoot}/api/v1`, apiKey: account.apiKey }
}

function resultHosts(config: Config, address: string): ReadonlySet<AllowedPair> {
  const { remoteServiceUrl, publicUrl, callbackAllow, resultAllow } = config
  const own = [remoteServiceUrl, address, publicUrl]
    .filter((root) => root !== undefined)
    .flatMap(toOwnPairs)
  return new Set([...own, ...callbackAllow, ...resultAllow])
}
