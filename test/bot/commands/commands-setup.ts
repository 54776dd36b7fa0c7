import { Bot } from 'grammy'
import type { Update } from 'grammy/types'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { createMenuButtons } from '../../../src/bot/admin/dashboard/menu-buttons.ts'
import { createSignInLinks, toPageAddress } from '../../../src/bot/admin/dashboard/page-address.ts'
import { createTickets } from '../../../src/bot/admin/dashboard/sign-in/tickets.ts'
import { createStats } from '../../../src/bot/admin/stats.ts'
import { createAlertSettings } from '../../../src/bot/alerts/alert-settings.ts'
import { type CommandsDeps, createCommands } from '../../../src/bot/commands/commands.ts'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import { createOrderCards } from '../../../src/bot/media/card/order-cards.ts'
import { createOrderCreation } from '../../../src/bot/media/card/order-creation.ts'
import { createPastOrders } from '../../../src/bot/media/card/past-orders.ts'
import { createAgainButtons } from '../../../src/bot/media/order/again-buttons.ts'
import type { NewOrder } from '../../../src/bot/media/order/order-store.ts'
import { createLearntPrices, createMediaPrices } from '../../../src/bot/media/order/prices.ts'
import { createMediaRules } from '../../../src/bot/media/order/rules.ts'
import type { Pictures } from '../../../src/bot/media/picture/pictures.ts'
import { createModels } from '../../../src/bot/models/models.ts'
import { createAccess } from '../../../src/bot/people/access/access.ts'
import { createAdmissions } from '../../../src/bot/people/access/admissions.ts'
import { createGiveRole } from '../../../src/bot/people/access/give-role.ts'
import { createAccessRequests } from '../../../src/bot/people/access/requests.ts'
import { createRoles } from '../../../src/bot/people/access/roles.ts'
import { createShowRole } from '../../../src/bot/people/access/show-role.ts'
import { createRequestCopies } from '../../../src/bot/people/request-copies.ts'
import { createUsers } from '../../../src/bot/people/users.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import {
  LimitReachedError,
  type LimitRefusal,
} from '../../../src/bot/spend/limits/limit-refusal.ts'
import { createSpend } from '../../../src/bot/spend/spend.ts'
import { createConversationList } from '../../../src/bot/talk/conversation/conversation-list.ts'
import { createConversations } from '../../../src/bot/talk/conversation/conversations.ts'
import { createInstructions } from '../../../src/bot/talk/conversation/instructions.ts'
import { createNaming } from '../../../src/bot/talk/conversation/naming.ts'
import { createTranscripts } from '../../../src/bot/talk/conversation/transcript.ts'
import { createEraseUser, type EraseUserDeps } from '../../../src/bot/talk/erase/erase-user.ts'
import { hasSender } from '../../../src/bot/telegram/addressing/sender.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createRichSupport } from '../../../src/bot/telegram/outbox/formatting.ts'
import { createNotifyPress } from '../../../src/bot/telegram/outbox/notify-press.ts'
import { createOutbox } from '../../../src/bot/telegram/outbox/outbox.ts'
import { createServiceClient } from '../../../src/contract/client/service-client.ts'
import type { MediaKind } from '../../../src/contract/media.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { sendJson, startServer } from '../../platform/http/local-server.ts'
import { addCharge } from '../spend/add-charge.ts'

export const ADMIN = 1
export const CALENDAR = createCalendar({ timeZone: 'Europe/Moscow' })
export const VIEWER = 2
const ADMITTANCE = {
  adminIds: new Set([ADMIN]),
  viewerIds: new Set([VIEWER]),
  allowedUserIds: 'everybody' as const,
}
const PRICES = new Map([
  ['vidgen-720p-5s', 40_000_000n],
  ['vidgen-720p-10s', 80_000_000n],
  ['vidgen-1080p-5s', 70_500_000n],
  ['imagegen', 5_000_000n],
  ['soundgen', 3_000_000n],
])
export const MODELS = [model('alpha-large', 150, 600), model('alpha-small', 0.5, 2)]

const FACTS = { isFirst: true, isLate: false, isBeside: false, parts: [], onRecorded: () => {} }

export let database: TestDatabase
let lastUserId = 100

/** Gives the file that calls it a database of its own, on which `setUp()` and its neighbours work. */
export function useCommands(): void {
  beforeAll(async () => {
    database = openTestDatabase({ url: await createTestDatabase() })
  })
  afterAll(() => database.close())
}

/** A user's chat with a bot that has only its commands. */
export async function setUp({
  models = MODELS,
  status = 200,
  prices = PRICES,
  reportedPrices,
  closedKinds = [],
  defaultModel,
  publicUrl,
  stopTurn = async () => 'nothing',
  findRunning = async () => undefined,
  retryTurn = async () => 'nothing',
  offer = async () => ({ status: 'offered', imageUrl: 'https://bot.example.org/pictures/1' }),
  offerAgain = async (imageUrl) => ({ status: 'offered', imageUrl }),
  findRefusal = () => undefined,
  now = async () => new Date(),
  adminLanguageCode = 'en',
  picture,
}: {
  models?: readonly unknown[]
  status?: number
  prices?: ReadonlyMap<string, bigint>
  /** The prices that the service reports for its labels; it reports none without. */
  reportedPrices?: ReadonlyMap<string, bigint>
  closedKinds?: readonly MediaKind[]
  defaultModel?: string
  publicUrl?: string
  stopTurn?: CommandsDeps['stopTurn'] & EraseUserDeps['stopTurn']
  findRunning?: CommandsDeps['findRunning']
  retryTurn?: CommandsDeps['retryTurn']
  offer?: Pictures['offer']
  offerAgain?: Pictures['offerAgain']
  /** The limit that leaves no room for an order, if one does. */
  findRefusal?: () => LimitRefusal | undefined
  now?: () => Promise<Date>
  adminLanguageCode?: string
  /** Of spend; without it none can be drawn. */
  picture?: Uint8Array
} = {}) {
  const playground = createPlayground({ flood: 'off' })
  const { apiRoot } = await playground.listen()
  playground.addUser({ id: ADMIN, firstName: 'Admin', languageCode: adminLanguageCode })
  playground.addUser({ id: VIEWER, firstName: 'Viewer', languageCode: 'en' })
  const { baseUrl } = await startServer((response, { path }) => {
    const body = path.endsWith('/balance') ? { balance_rub: 1234.5 } : { models }
    sendJson(response, status, status === 200 ? body : { detail: 'Broken' })
  })
  const service = createServiceClient({ baseUrl, apiKey: 'key' })
  onTestFinished(async () => {
    await service.close()
    await playground.close()
  })
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const conversations = createConversations(database.prisma)
  const outbox = createOutbox({ api })
  const access = createAccess(ADMITTANCE)
  const admissions = createAdmissions(database.prisma, access)
  const log = pino({ level: 'silent' })
  const offered = createModels({ service, defaultModel, clock: systemClock, log })
  const created: NewOrder[] = []
  const sentAgain: { orderId: bigint; chatId: number }[] = []
  const page = toPageAddress({ publicUrl, localRoot: 'http://127.0.0.1:3000' })
  const mediaRules = createMediaRules(database.prisma)
  const settings = { ...ADMITTANCE, timeZone: 'Europe/Moscow' }
  const spend = createSpend({
    prisma: database.prisma,
    service,
    outbox,
    notifyPress: createNotifyPress({ outbox, texts: createTexts() }),
    texts: createTexts(),
    settings,
    log,
    notifications: { listen: () => {} },
  })
  const mediaPrices = createMediaPrices({
    service: { prices: async () => reportedPrices },
    configuredMicroRub: prices,
    learnt: createLearntPrices(database.prisma),
    clock: systemClock,
    log,
  })
  const creation = createOrderCreation({
    orders: { create, isClosed: (kind) => closedKinds.includes(kind) },
    prices: mediaPrices,
  })
  const againButtons = createAgainButtons({ prices: mediaPrices, texts: createTexts() })
  const orderCards = createOrderCards({
    prisma: database.prisma,
    creation,
    pictures: { offer },
    prices: mediaPrices,
    mediaRules,
    outbox,
    limitTexts: spend.limitTexts,
    texts: createTexts(),
    log,
  })
  const naming = createNaming({ prisma: database.prisma, outbox, texts: createTexts(), log })
  const passedOn: (string | undefined)[] = []
  const blocked: number[] = []
  const bot = new Bot(playground.token, { client: { apiRoot }, botInfo: playground.me })
  const heard = bot.filter(hasSender)
  // As the gate does.
  heard.use(({ sender }, next) => {
    sender.role = access.roleOf({ id: sender.id, admission: null, role: null })
    return next()
  })
  heard.use(
    createCommands({
      calendar: spend.calendar,
      costNotes: spend.costNotes,
      balance: spend.balance,
      limits: spend.limits,
      limitTexts: spend.limitTexts,
      reports: spend.reports,
      signInLinks: createSignInLinks({ page, tickets: createTickets(database) }),
      menus: createMenuButtons({
        api: api.calls,
        prisma: database.prisma,
        texts: createTexts(),
        page,
      }),
      prisma: database.prisma,
      models: offered,
      outbox,
      richSupport: createRichSupport(systemClock),
      conversations,
      naming,
      stopTurn,
      findRunning,
      retryTurn,
      answerTurn: async (_ctx, _thread, run) => void (await run(FACTS)),
      orders: {
        cancel: async () => 'gone',
        sendAgain: async (orderId, { chatId }) => void sentAgain.push({ orderId, chatId }),
      },
      orderCards,
      pastOrders: createPastOrders({
        prisma: database.prisma,
        creation,
        pictures: { offer, offerAgain },
        prices: mediaPrices,
        mediaRules,
        againButtons,
        limitTexts: spend.limitTexts,
        texts: createTexts(),
        timeZone: settings.timeZone,
      }),
      alertSettings: createAlertSettings(database.prisma),
      spendPictures: { ofUser: async () => picture, ofAll: async () => picture },
      mediaRules,
      access,
      stats: createStats({ prisma: database.prisma, calendar: spend.calendar }),
      users: createUsers({ prisma: database.prisma, forget: () => {} }),
      admissions,
      giveRole: createGiveRole({
        prisma: database.prisma,
        settings: ADMITTANCE,
        access,
        showRole: createShowRole({
          prisma: database.prisma,
          access,
          outbox,
          texts: createTexts(),
          showMenus: async () => {},
          log,
        }),
      }),
      requests: createAccessRequests({
        admissions,
        copies: createRequestCopies({
          prisma: database.prisma,
          roles: createRoles({ prisma: database.prisma, settings: ADMITTANCE, access }),
          outbox,
          log,
        }),
        outbox,
        texts: createTexts(),
        settings: { timeZone: 'Europe/Moscow' },
        log,
        onBlocked: async (userId) => void blocked.push(userId),
        now: async () => new Date(),
      }),
      settings,
      commands: COMMANDS,
      systemPrompt: undefined,
      timeZone: settings.timeZone,
      texts: createTexts(),
      log,
      conversationList: createConversationList(database.prisma),
      instructions: createInstructions(database.prisma),
      transcripts: createTranscripts(database.prisma),
      eraseUser: createEraseUser({
        prisma: database.prisma,
        stopTurn,
        calendar: spend.calendar,
        clock: systemClock,
      }),
      now,
    }),
  )
  heard.use(orderCards.updates)
  heard.use(naming.updates)
  bot.on('message', (ctx) => void passedOn.push(ctx.message.text))
  let offset = 0
  return {
    playground,
    api: api.calls,
    conversations,
    offered,
    created,
    sentAgain,
    passedOn,
    blocked,
    send,
    press,
    answerTo,
    fileTo,
    handleAll,
    handle: (update: Update) => bot.handleUpdate(update),
    mediaRules,
  }

  /** @returns The user's id, which is the chat's. */
  async function send(
    text: string,
    { userId = ++lastUserId, languageCode = 'en' }: { userId?: number; languageCode?: string } = {},
  ): Promise<number> {
    if (!playground.hasUser(userId)) {
      playground.addUser({ id: userId, firstName: 'Anna', languageCode })
    }
    playground.userSends({ userId, text })
    await handleAll()
    return userId
  }

  /** Presses the newest button with this text. */
  async function press(userId: number, text: string, { chatId = userId } = {}) {
    const messages = playground.transcript(chatId)
    const message = messages.findLast((one) => buttonsOf(one).flat().includes(text))
    const markup = message?.replyMarkup
    const buttons = markup && 'inline_keyboard' in markup ? markup.inline_keyboard.flat() : []
    const button = buttons.find((one) => one.text === text)
    const data = button && 'callback_data' in button ? button.callback_data : ''
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64)
    const id = playground.presses({ userId, chatId, messageId: message?.id ?? 0, data })
    await handleAll()
    return playground.pressed(id)
  }

  async function create(order: NewOrder) {
    const refusal = findRefusal()
    if (refusal !== undefined) throw new LimitReachedError(refusal)
    const index = created.findIndex(({ originKey }) => originKey === order.originKey)
    if (index >= 0) return { orderId: BigInt(index + 1), isNew: false }
    return { orderId: BigInt(created.push(order)), isNew: true }
  }

  async function answerTo(userId: number): Promise<string | undefined> {
    return playground.transcript(userId).findLast(({ from }) => from === 'bot')?.text
  }

  /** The newest message, which is a file. */
  async function fileTo(userId: number): Promise<{ fileName: string; text: string }> {
    const { document } = playground.transcript(userId).at(-1) ?? {}
    return { fileName: document?.fileName ?? '', text: document?.bytes?.toString() ?? '' }
  }

  async function handleAll(): Promise<void> {
    for (const update of await api.calls.getUpdates({ offset })) {
      offset = update.update_id + 1
      await bot.handleUpdate(update)
    }
  }
}

type Shown = ReturnType<ReturnType<typeof createPlayground>['transcript']>[number]

export function buttonsOf(message: Shown | undefined): string[][] {
  const markup = message?.replyMarkup
  if (!markup || !('inline_keyboard' in markup)) return []
  return markup.inline_keyboard.map((row) => row.map(({ text }) => text))
}

export function model(id: string, promptRub: number, completionRub: number) {
  return {
    id,
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: promptRub,
    completion_rub_per_1m: completionRub,
  }
}

export async function addSpender({
  amountMicroRub,
  estimated = false,
  firstName = 'Anna',
}: {
  amountMicroRub: bigint
  estimated?: boolean
  firstName?: string
}): Promise<number> {
  const userId = ++lastUserId
  await database.prisma.user.create({ data: { id: userId, firstName } })
  await addCharge(database.prisma, { userId, amountMicroRub, estimated })
  return userId
}

let lastMessageId = 0

/** Has a turn stand in a user's chat as if it had been answered there. */
export async function addTurn(
  userId: number,
  {
    prompt,
    answer,
    at = new Date('2026-11-21T10:00:00Z'),
    chatId = userId,
    ...turn
  }: {
    prompt: string
    answer: string
    at?: Date
    chatId?: number
    state?: 'finished' | 'failed'
    setAsideAt?: Date
  },
): Promise<bigint> {
  const { prisma } = database
  const where = { id: userId }
  await prisma.user.upsert({ where, create: { ...where, firstName: 'Anna' }, update: {} })
  const { id: conversationId } = await createConversations(prisma).current({ chatId, threadId: 0 })
  const asked = { conversationId, userId, chatId, promptMessageId: --lastMessageId }
  const { id: turnId } = await prisma.turn.create({
    data: { ...asked, model: 'alpha-large', state: 'finished', sentAt: at, endedAt: at, ...turn },
  })
  const message = { conversationId, turnId, createdAt: at }
  await prisma.message.create({ data: { ...message, role: 'user', content: prompt } })
  await prisma.message.create({
    data: {
      ...message,
      role: 'assistant',
      content: answer,
      model: 'alpha-large',
      promptTokens: 10,
      completionTokens: 20,
      costMicroRub: 500_000n,
    },
  })
  return conversationId
}
