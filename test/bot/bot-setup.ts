import { pino } from 'pino'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type Bot, createBot } from '../../src/bot/bot.ts'
import type { BotDeps, BotSettings } from '../../src/bot/context.ts'
import { createStoredPictures } from '../../src/bot/media/stored-pictures.ts'
import { SEND_LIMITS } from '../../src/bot/telegram/pace.ts'
import { createServiceClient } from '../../src/contract/client/service-client.ts'
import { registerInstance } from '../../src/platform/database/instance/instance.ts'
import { startSweep } from '../../src/platform/database/instance/sweep.ts'
import { createPlayground, type Playground } from '../../src/playground/playground.ts'
import { endInstance } from '../platform/database/instance/end-instance.ts'
import { openTestDatabase, type TestDatabase } from '../platform/database/open-test-database.ts'
import { createTestClock } from '../platform/database/test-clock.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import type { ManualClock } from '../platform/time/manual-clock.ts'
import { type ChatService, type ChatServiceOptions, startChatService } from './chat-service.ts'
import { openCuttableProxy } from './cuttable-proxy.ts'

export const ANNA = 101
export const BORIS = 102

const SETTINGS: BotSettings = {
  adminIds: new Set(),
  viewerIds: new Set(),
  allowedUserIds: 'everybody',
  maxTokens: 1000,
  timeZone: 'Europe/Moscow',
}

const SERVICE_LIMITS = { chat: 30, video: 3, image: 3, sound: 3 }

export interface RunningBot extends Bot {
  /** Ends all that the process could do, as `kill -9` does, and lets its lease end. */
  kill(): Promise<void>
  logged(): string
}

/** Telegram, the service and a database, and bots that come and go between them. */
export interface BotSetup {
  playground: Playground
  service: ChatService
  database: TestDatabase
  startBot(settings?: Partial<BotSettings>, deps?: Pick<BotDeps, 'publicUrl'>): Promise<RunningBot>
  /** Lets that much time pass, also in the database. For a setup with a clock. */
  passTime(ms: number): Promise<void>
  textsIn(chatId: number): (string | undefined)[]
}

/** The playground's dates begin here; a clock of a test begins with 0, and the database has its own. */
const BEGINNING = Date.now()

/** A user who has a private chat with the one bot of a file. */
export interface UserOfBot extends BotSetup {
  bot: RunningBot
  userId: number
}

/**
 * Starts one bot, with its service and database, for all tests of a file.
 *
 * @returns Adds a user, who reads English.
 */
export function shareBot({
  settings,
  ...options
}: BotSetupOptions & { settings?: Partial<BotSettings> } = {}): () => UserOfBot {
  const ends: (() => unknown)[] = []
  let shared: Omit<UserOfBot, 'userId'>
  let lastUserId = 1000
  beforeAll(async () => {
    const setup = await createBotSetup({ ...options, onEnd: (end) => void ends.unshift(end) })
    shared = { ...setup, bot: await setup.startBot(settings) }
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => {
    const userId = ++lastUserId
    shared.playground.addUser({ id: userId, firstName: 'Anna', languageCode: 'en' })
    return { ...shared, userId }
  }
}

interface BotSetupOptions extends ChatServiceOptions {
  /** The time of all of it but the database; the machine's by default. */
  clock?: ManualClock
  /** The rate limit that the bots are configured with. */
  chatsPerMinute?: number
  onEnd?: (end: () => Promise<void>) => void
}

export async function createBotSetup({
  clock,
  chatsPerMinute = 10_000,
  onEnd = onTestFinished,
  ...options
}: BotSetupOptions = {}): Promise<BotSetup> {
  const url = await createTestDatabase()
  const databaseClock = clock && (await createTestClock(url))
  const database = openTestDatabase({ url, connectionsMax: 2 })
  const playground = createPlayground({
    flood: 'real',
    topicsInPrivateChats: true,
    ...(clock && { clock: { ...clock, date: () => new Date(BEGINNING + clock.now()) } }),
  })
  const service = await startChatService(options)
  playground.addUser({ id: ANNA, firstName: 'Anna', languageCode: 'en' })
  playground.addUser({ id: BORIS, firstName: 'Boris', languageCode: 'ru' })
  const { apiRoot } = await playground.listen()
  onEnd(async () => {
    await playground.close()
    await service.close()
    await database.close()
  })
  return { playground, service, database, startBot, passTime, textsIn }

  async function passTime(ms: number): Promise<void> {
    await databaseClock?.advance(ms)
    clock?.advance(ms)
  }

  function textsIn(chatId: number): (string | undefined)[] {
    const messages = playground.transcript(chatId)
    const ofBot = messages.filter(({ from }) => from === 'bot')
    return ofBot.map(({ text, rich }) => rich?.markdown ?? text)
  }

  /** Every bot is a process of its own: pool, connections and cables are nobody else's. */
  async function startBot(
    settings: Partial<BotSettings> = {},
    { publicUrl }: Pick<BotDeps, 'publicUrl'> = {},
  ): Promise<RunningBot> {
    const databaseUrl = new URL(url)
    const cables = await Promise.all(
      [new URL(apiRoot).port, service.port, databaseUrl.port].map((port) =>
        openCuttableProxy(Number(port)),
      ),
    )
    const [telegramPort = 0, servicePort = 0, databasePort = 0] = cables.map(({ port }) => port)
    databaseUrl.port = String(databasePort)
    databaseUrl.hostname = '127.0.0.1'
    const own = openTestDatabase({
      url: databaseUrl.href,
      connectionsMax: 8,
      onIdleError: () => {},
    })
    const instance = await registerInstance({
      url: databaseUrl.href,
      onError: () => {},
      works: ['bot'],
    })
    const notifications = instance.session
    const sweep = startSweep(notifications, { error: () => {} })
    const client = createServiceClient({
      baseUrl: `http://127.0.0.1:${servicePort}/api/v1`,
      apiKey: 'key',
    })
    const lines: string[] = []
    const deps: BotDeps = {
      token: playground.token,
      apiRoot: `http://127.0.0.1:${telegramPort}`,
      database: own,
      prisma: own.prisma,
      instance,
      notifications,
      sweep,
      service: client,
      storedPictures: createStoredPictures(own),
      pictureRoot: () => 'https://bot.example.org',
      callbackRoot: undefined,
      publicUrl,
      localRoot: 'http://127.0.0.1:3000',
      resultAllow: new Set(),
      settings: { ...SETTINGS, ...settings },
      ...(clock && { clock }),
      serviceLimits: { ...SERVICE_LIMITS, chat: chatsPerMinute },
      // Crowds of chats shall not wait for each other.
      limits: { ...SEND_LIMITS, overall: { calls: 1000, windowMs: 1000 } },
      log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    }
    const bot = createBot(deps)
    const kill = async () => {
      for (const proxy of cables) proxy.cut()
      await endInstance(database.pool, instance)
    }
    onEnd(async () => {
      await kill()
      const stopping = bot.stop(0)
      // On a stopped clock it would wait for ever.
      const moving = setInterval(() => clock?.advance(1000), 1)
      await stopping.finally(() => clearInterval(moving))
      await client.close()
      await sweep.stop()
      await instance.release()
      await own.close()
    })
    await bot.start()
    return { ...bot, kill, logged: () => lines.join('') }
  }
}
