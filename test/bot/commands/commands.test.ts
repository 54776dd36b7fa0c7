import { Bot } from 'grammy'
import type { Update } from 'grammy/types'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  type CommandsDeps,
  createCommands,
  publishCommands,
} from '../../../src/bot/commands/commands.ts'
import { createConversations } from '../../../src/bot/conversation/conversations.ts'
import type { NewOrder } from '../../../src/bot/media/order-store.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createOutbox } from '../../../src/bot/telegram/outbox.ts'
import { createTexts } from '../../../src/bot/texts.ts'
import { createServiceClient } from '../../../src/client/service-client.ts'
import { type Database, openDatabase } from '../../../src/database/database.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { sendJson, startServer } from '../../client/local-server.ts'
import { createTestDatabase } from '../../database/test-database.ts'

const ADMIN = 1
const PRICES = new Map([
  ['vidgen-720p-5s', 40_000_000n],
  ['vidgen-720p-10s', 80_000_000n],
  ['vidgen-1080p-5s', 70_500_000n],
])
const MODELS = [model('alpha-large', 150, 600), model('alpha-small', 0.5, 2)]

let database: Database
let lastUserId = 100

beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

test('/start greets by name, in the language of the user', async () => {
  const { send, answerTo } = await stage()

  expect(await answerTo(await send('/start', { languageCode: 'ru' }))).toMatch(
    /^Здравствуйте, Anna\./,
  )
})

test('/help lists the admins’ commands for admins only', async () => {
  const { send, answerTo } = await stage()

  const forUser = await answerTo(await send('/help'))
  const forAdmin = await answerTo(await send('/help', { userId: ADMIN }))

  expect(forUser).toContain('/usage')
  expect(forUser).not.toContain('/spend')
  expect(forAdmin).toContain('/spend')
})

test('a command with our name counts, one with another name is passed over', async () => {
  const { send, answerTo, playground, passedOn } = await stage()

  const ours = await send('/Stop@Kopeck_Playground_Bot')
  const others = await send('/stop@another_bot')

  expect(await answerTo(ours)).toBe('Nothing is being written right now.')
  expect(playground.transcript(others)).toHaveLength(1)
  expect(passedOn).toEqual([])
})

test('what is no command goes on, also with a command in its middle', async () => {
  const { send, passedOn } = await stage()

  for (const text of ['hello', 'what does /help do?', '/ 5', '/вид']) await send(text)

  expect(passedOn).toEqual(['hello', 'what does /help do?', '/ 5', '/вид'])
})

test.each(['/image a fox', '/balance', '/spend'])('"%s" is unknown to a user', async (text) => {
  const { send, answerTo } = await stage()

  expect(await answerTo(await send(text))).toContain("I don't know this command")
})

test('/new begins a conversation with the same model', async () => {
  const { send, answerTo, conversations } = await stage()
  const userId = await send('hello')
  const place = { chatId: userId, threadId: 0 }
  await conversations.chooseModel(place, 'alpha-small')
  const before = await conversations.current(place)

  await send('/new', { userId })

  const after = await conversations.current(place)
  expect(after.id).toBeGreaterThan(before.id)
  expect(after.model).toBe('alpha-small')
  expect(await answerTo(userId)).toBe('A new conversation. What came before is set aside.')
})

test('/stop ends the turn of its place', async () => {
  const stopped: [number, number][] = []
  const { send, answerTo } = await stage({
    stopTurn: (...place) => stopped.push(place) > 0,
  })

  const userId = await send('/stop')

  expect(stopped).toEqual([[userId, 0]])
  expect(await answerTo(userId)).toBe('Stopped.')
})

test('/model shows prices and marks the one that answers; a press changes it', async () => {
  const { send, press, conversations, playground } = await stage()
  const userId = await send('/model')
  const [, list] = playground.transcript(userId)
  expect(list?.text).toContain('alpha-large — in ₽150.00, out ₽600.00')
  expect(list?.text).toContain('alpha-small — in ₽0.50, out ₽2.00')
  expect(buttonsOf(list)).toEqual([['✓ alpha-large'], ['alpha-small']])

  const pressed = await press(userId, 'alpha-small')

  expect((await conversations.current({ chatId: userId, threadId: 0 })).model).toBe('alpha-small')
  expect(pressed?.answer?.text).toBe('alpha-small answers from the next message on.')
  const [, changed] = playground.transcript(userId)
  expect(buttonsOf(changed)).toEqual([['alpha-large'], ['✓ alpha-small']])
})

test('many models come in pages, however long their names', async () => {
  const models = Array.from({ length: 20 }, (_, index) =>
    model(`${'very-long-name-'.repeat(8)}${index}`, 1, 2),
  )
  const { send, press, playground } = await stage({ models })
  const userId = await send('/model')
  expect(buttonsOf(playground.transcript(userId)[1])).toHaveLength(9)

  await press(userId, 'More »')
  await press(userId, 'More »')

  const buttons = buttonsOf(playground.transcript(userId)[1])
  expect(buttons).toHaveLength(5)
  expect(buttons.at(-1)).toEqual(['« Back'])
})

test('a model that went away is said to be gone, and the list is fresh', async () => {
  const models = [...MODELS]
  const { send, press, conversations, playground } = await stage({ models })
  const userId = await send('/model')
  models.pop()

  const pressed = await press(userId, 'alpha-small')

  expect(pressed?.answer?.text).toContain('no longer offered')
  expect((await conversations.current({ chatId: userId, threadId: 0 })).model).toBeNull()
  expect(buttonsOf(playground.transcript(userId)[1])).toEqual([['✓ alpha-large']])
})

test('a chosen model that went away leaves the mark to the default', async () => {
  const { send, conversations, playground } = await stage({ defaultModel: 'alpha-small' })
  const userId = await send('hello')
  await conversations.chooseModel({ chatId: userId, threadId: 0 }, 'gone')

  await send('/model', { userId })

  expect(buttonsOf(playground.transcript(userId).at(-1))).toEqual([
    ['alpha-large'],
    ['✓ alpha-small'],
  ])
})

test.each(['/model', '/balance'])('%s says so when the service is away', async (text) => {
  const { send, answerTo } = await stage({ status: 500 })

  expect(await answerTo(await send(text, { userId: ADMIN }))).toContain('does not answer')
})

test('/usage tells what its user has spent, and how much of it is an estimate', async () => {
  const { send, answerTo } = await stage()
  const userId = await addSpender({ amountMicroRub: 1_230_000n, estimated: true })

  const answer = await answerTo(await send('/usage', { userId }))

  expect(answer).toBe(
    'You have spent\ntoday: ₽1.23\nthis month: ₽1.23\nin all: ₽1.23\n\n' +
      'Of this, ₽1.23 is an estimate: the service did not say what it really cost.',
  )
})

test('/usage of somebody new shows zeros', async () => {
  const { send, answerTo } = await stage()

  expect(await answerTo(await send('/usage'))).toBe(
    'You have spent\ntoday: ₽0.00\nthis month: ₽0.00\nin all: ₽0.00',
  )
})

test('/balance tells an admin what is left', async () => {
  const { send, answerTo } = await stage()

  expect(await answerTo(await send('/balance', { userId: ADMIN }))).toBe(
    'The account has ₽1,234.50 left.',
  )
})

test('/spend shows an admin an aligned table, cut where a message ends', async () => {
  await database.prisma.charge.deleteMany()
  for (let index = 1; index <= 150; index++) {
    await addSpender({ amountMicroRub: BigInt(index) * 1_000_000n, firstName: `User\n${index}` })
  }
  const { send, answerTo } = await stage()

  const answer = (await answerTo(await send('/spend', { userId: ADMIN }))) ?? ''

  const [table = '', note] = answer.split('\n\n')
  const lines = table.split('\n')
  expect(answer.length).toBeLessThan(4096)
  expect(lines[1]).toMatch(/^User 150 {2,}₽150\.00 {2,}₽150\.00 {2,}₽150\.00$/)
  expect(lines.at(-1)).toContain('₽11,325.00')
  // The head may end in blanks that Telegram trims.
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1)
  expect(note).toBe(`${150 - (lines.length - 2)} more users spent less.`)
})

test('/video without a description explains itself with prices', async () => {
  const { send, answerTo } = await stage()

  const answer = await answerTo(await send('/video 10s'))

  expect(answer).toContain('/video a fox runs through the snow')
  expect(answer).toContain('5 s, 720p — ₽40.00\n10 s, 720p — ₽80.00\n5 s, 1080p — ₽70.50')
})

test('/video refuses what is not offered with what is', async () => {
  const { send, answerTo, placed } = await stage()

  const answer = await answerTo(await send('/video 10s 1080p a fox'))

  expect(answer).toBe('A clip of 10 s is made in 720p only. Please take 5s 1080p or 10s 720p.')
  expect(placed).toEqual([])
})

test('/video tells the limit of a description that is too long', async () => {
  const { send, answerTo, handle, placed, playground } = await stage()
  const userId = await send('hello')
  const message = playground.userSends({ userId, text: '/video a fox' })

  // No client sends as much in one message; the limit is the service's all the same.
  Object.assign(message, { text: `/video ${'🦊'.repeat(5001)}` })
  await handle({ update_id: 1, message } as Update)

  expect(await answerTo(userId)).toContain('has 5,001 characters; at most 5,000 are possible')
  expect(placed).toEqual([])
})

test('/video orders what was asked for at its price', async () => {
  const { send, placed } = await stage()

  const userId = await send('/video 9:16 1080p a fox\nin the snow')

  expect(placed).toEqual([
    {
      chatId: userId,
      threadId: 0,
      commandMessageId: expect.any(Number),
      user: { id: userId, firstName: 'Anna', username: undefined, languageCode: 'en' },
      request: {
        prompt: 'a fox\nin the snow',
        duration: 5,
        quality: '1080p',
        aspect_ratio: '720:1280',
      },
      label: 'vidgen-1080p-5s',
      priceMicroRub: 70_500_000n,
    },
  ])
})

test('/video is refused where prices are not known', async () => {
  const none = await stage({ hasPrices: false })
  const few = await stage({ prices: new Map([['vidgen-720p-5s', 1n]]) })

  const withoutAny = await none.answerTo(await none.send('/video a fox'))
  const withoutThis = await few.answerTo(await few.send('/video 10s a fox'))

  expect(withoutAny).toContain('The prices of clips are not known here')
  expect(withoutThis).toContain('No price is known here for such a clip')
  expect([...none.placed, ...few.placed]).toEqual([])
})

test('a user who blocked the bot meanwhile is no error', async () => {
  const { send, playground, handleAll } = await stage()
  const userId = await send('hello')
  playground.userSends({ userId, text: '/help' })
  playground.blocks(userId)

  await expect(handleAll()).resolves.toBeUndefined()
})

test('the menu is published in both languages, longer for admins who wrote to the bot', async () => {
  const { playground, api } = await stage()

  await publishCommands(api, { adminIds: new Set([ADMIN, 999]) })

  const lists = playground.commands()
  const namesOf = (commands: readonly { command: string }[]) =>
    commands.map(({ command }) => command).join(' ')
  expect(lists.map(({ scope, languageCode }) => `${scope.type} ${languageCode}`).sort()).toEqual([
    'all_private_chats ',
    'all_private_chats ru',
    'chat ',
    'chat ru',
    'default ',
    'default ru',
  ])
  for (const { scope, commands } of lists) {
    const isAdmins = scope.type === 'chat'
    expect(namesOf(commands)).toBe(
      `new model stop video usage help${isAdmins ? ' balance spend' : ''}`,
    )
  }
})

/** A user's chat with a bot that has only its commands. */
async function stage({
  models = MODELS,
  status = 200,
  prices = PRICES,
  hasPrices = true,
  defaultModel,
  stopTurn = () => false,
}: {
  models?: readonly unknown[]
  status?: number
  prices?: ReadonlyMap<string, bigint>
  hasPrices?: boolean
  defaultModel?: string
  stopTurn?: CommandsDeps['stopTurn']
} = {}) {
  const playground = createPlayground({ flood: 'off' })
  const { apiRoot } = await playground.listen()
  playground.addUser({ id: ADMIN, firstName: 'Admin', languageCode: 'en' })
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
  const placed: NewOrder[] = []
  const passedOn: (string | undefined)[] = []
  const bot = new Bot(playground.token, { client: { apiRoot }, botInfo: playground.me })
  bot.use(
    createCommands({
      prisma: database.prisma,
      service,
      outbox: createOutbox({ api }),
      conversations,
      stopTurn,
      orders: { place: async (order) => void placed.push(order) },
      settings: {
        adminIds: new Set([ADMIN]),
        timeZone: 'Europe/Moscow',
        clipPricesMicroRub: hasPrices ? prices : undefined,
        defaultModel,
      },
      texts: createTexts(),
      log: pino({ level: 'silent' }),
    }),
  )
  bot.on('message', (ctx) => void passedOn.push(ctx.message.text))
  let offset = 0
  return {
    playground,
    api: api.calls,
    conversations,
    placed,
    passedOn,
    send,
    press,
    answerTo,
    handleAll,
    handle: (update: Update) => bot.handleUpdate(update),
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

  async function press(userId: number, text: string) {
    const message = playground.transcript(userId).at(-1)
    const markup = message?.replyMarkup
    const buttons = markup && 'inline_keyboard' in markup ? markup.inline_keyboard.flat() : []
    const button = buttons.find((one) => one.text === text)
    const data = button && 'callback_data' in button ? button.callback_data : ''
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64)
    const id = playground.presses({ userId, messageId: message?.id ?? 0, data })
    await handleAll()
    return playground.pressed(id)
  }

  async function answerTo(userId: number): Promise<string | undefined> {
    return playground.transcript(userId).findLast(({ from }) => from === 'bot')?.text
  }

  async function handleAll(): Promise<void> {
    for (const update of await api.calls.getUpdates({ offset })) {
      offset = update.update_id + 1
      await bot.handleUpdate(update)
    }
  }
}

type Shown = ReturnType<ReturnType<typeof createPlayground>['transcript']>[number]

function buttonsOf(message: Shown | undefined): string[][] {
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

async function addSpender({
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
  await database.prisma.charge.create({
    data: { userId, amountMicroRub, estimated, kind: 'turn', item: 'alpha-large' },
  })
  return userId
}
