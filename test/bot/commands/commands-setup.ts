import { Bot } from 'grammy'
import type { Update } from 'grammy/types'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import type { CommandsApp } from '../../../src/bot/commands/list.ts'
import { conversationOf } from '../../../src/bot/conversations/conversations.ts'
import type { EraseUserDeps } from '../../../src/bot/conversations/erase-user.ts'
import type { Orders } from '../../../src/bot/media/orders.ts'
import type { Pictures } from '../../../src/bot/media/pictures.ts'
import { createAccess } from '../../../src/bot/people/access.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { LimitReachedError, type LimitRefusal } from '../../../src/bot/spend/limits.ts'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import { hasSender } from '../../../src/bot/telegram/addressing.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createServiceClient } from '../../../src/contract/client/service-client.ts'
import type { MediaKind } from '../../../src/contract/tasks.ts'
import { type Order, Prisma, type User } from '../../../src/platform/database/generated/client.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { sendJson, startServer } from '../../platform/http/local-server.ts'
import { addCharge } from '../spend/add-charge.ts'
import { ADMIN, ADMITTANCE, createTestCommands, VIEWER } from './test-commands.ts'

export { ADMIN, VIEWER }
export const CALENDAR = createCalendar({ timeZone: 'Europe/Moscow' })

const PRICES = new Map([
  ['vidgen-720p-5s', 40_000_000n],
  ['vidgen-720p-10s', 80_000_000n],
  ['vidgen-1080p-5s', 70_500_000n],
  ['imagegen', 5_000_000n],
  ['soundgen', 3_000_000n],
])
export const MODELS = [model('alpha-large', 150, 600), model('alpha-small', 0.5, 2)]

export let database: TestDatabase
let lastUserId = 100

/**
 * Gives the file that calls it a database of its own, on which `setUp()` and its neighbours work.
 *
 * @param confirmFromMicroRub The price from which an order is confirmed, where it is not the initial one.
 */
export function useCommands({ confirmFromMicroRub }: { confirmFromMicroRub?: bigint } = {}): void {
  beforeAll(async () => {
    database = openTestDatabase({ url: await createTestDatabase() })
    if (confirmFromMicroRub === undefined) return
    await new StoredSettings(database.prisma).set({ confirmFromMicroRub }, { adminId: ADMIN })
  })
  afterAll(() => database.close())
}

/** A user's chat with a bot that has only its commands. */
export async function setUp({
  models = MODELS,
  status = 200,
  prices = PRICES,
  reportedPrices,
  publicUrl,
  stopTurn = async () => 'nothing',
  offer = async () => ({ status: 'offered', imageUrl: 'https://bot.example.org/pictures/1' }),
  offerAgain = async (imageUrl) => ({ status: 'offered', imageUrl }),
  findRefusal = () => undefined,
  now = async () => new Date(),
  spendsOwnMoney = false,
  picture,
}: {
  models?: readonly unknown[]
  status?: number
  prices?: ReadonlyMap<string, bigint>
  reportedPrices?: ReadonlyMap<string, bigint>
  publicUrl?: string
  stopTurn?: CommandsApp['replies']['stop'] & EraseUserDeps['replies']['stop']
  offer?: Pictures['offer']
  offerAgain?: Pictures['offerAgain']
  findRefusal?: () => LimitRefusal | undefined
  now?: () => Promise<Date>
  spendsOwnMoney?: boolean
  picture?: Uint8Array
} = {}) {
  const playground = createPlayground({ flood: 'off' })
  const { apiRoot } = await playground.listen()
  playground.addUser({ id: ADMIN, firstName: 'Admin', languageCode: 'en' })
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
  const access = createAccess(ADMITTANCE)
  const created: PlacedOrder[] = []
  const sentAgain: { orderId: bigint; chatId: number }[] = []
  const passedOn: (string | undefined)[] = []
  const blocked: number[] = []
  const parts = createTestCommands({
    database,
    api,
    service,
    access,
    prices,
    reportedPrices,
    publicUrl,
    stopTurn,
    pictures: { offer, offerAgain },
    orders: { place, start: () => {} },
    sendAgain: async (orderId, { chatId }) => void sentAgain.push({ orderId, chatId }),
    onBlocked: async (userId) => void blocked.push(userId),
    now,
    spendsOwnMoney,
    picture,
  })
  const { commands, offered, mediaRules, cards } = parts
  // As a start does.
  await parts.mediaPrices.ready()
  const bot = new Bot(playground.token, { client: { apiRoot }, botInfo: playground.me })
  const heard = bot.filter(hasSender)
  // As the gate does.
  heard.use(async ({ sender }, next) => {
    sender.role = access.roleOf({ id: sender.id, admission: null, role: null })
    // Each plain message looks for one.
    sender.hasOpenCard = true
    return next()
  })
  heard.use(commands)
  heard.use(cards)
  bot.on('message', (ctx) => void passedOn.push(ctx.message.text))
  let offset = 0
  return {
    playground,
    api: api.calls,
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

  /** As if it had been ordered two minutes ago: a second order within a minute is confirmed. */
  async function place(...[tx, { id }]: Parameters<Orders['place']>) {
    const refusal = findRefusal()
    if (refusal !== undefined) throw new LimitReachedError(refusal)
    const createdAt = new Date(Date.now() - 120_000)
    const placed = { state: 'placed', draft: Prisma.DbNull, createdAt } as const
    const found = { where: { id }, include: { user: true } } as const
    const { chatId, user, kind, params, ...order } = await tx.order.update({
      ...found,
      data: placed,
    })
    created.push({
      ...order,
      chatId: Number(chatId),
      user: { ...user, id: Number(user.id) },
      media: { kind, request: params as object },
    })
  }

  async function answerTo(userId: number): Promise<string | undefined> {
    return playground.transcript(userId).findLast(({ from }) => from === 'bot')?.text
  }

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

/** The row of an order with its user. */
interface PlacedOrder extends Omit<Order, 'chatId' | 'userId' | 'kind' | 'params'> {
  chatId: number
  user: Omit<User, 'id'> & { id: number }
  media: { kind: MediaKind; request: object }
}

type Shown = ReturnType<ReturnType<typeof createPlayground>['transcript']>[number]

export function buttonsOf(message: Shown | undefined): string[][] {
  const markup = message?.replyMarkup
  if (!markup || !('inline_keyboard' in markup)) return []
  return markup.inline_keyboard.map((row) => row.map(({ text }) => text))
}

function model(id: string, promptRub: number, completionRub: number) {
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
  const { id: conversationId } = await conversationOf(database, { chatId, threadId: 0 })
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
