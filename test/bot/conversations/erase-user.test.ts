import { expect, test } from 'vitest'
import { createEraseUser, type EraseOutcome } from '../../../src/bot/conversations/erase-user.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { createFastClock } from '../../platform/time/fast-clock.ts'
import { BORIS, type BotSetup, createBotSetup, type RunningBot } from '../bot-setup.ts'
import { addCharge } from '../spend/add-charge.ts'
import { press } from './buttons.ts'
import { until } from './ended.ts'

const OLGA = 201
const GROUP = -7
const NAME = '@kopeck_playground_bot'
/** Stands in everything that Olga says and reads, and in her name. */
const WORD = 'marzipan'

const UNHANDLED = { where: { handledAt: null } }

async function openHouse(): Promise<BotSetup & { bot: RunningBot }> {
  const setup = await createBotSetup()
  setup.playground.addUser({ id: OLGA, firstName: `Olga ${WORD}`, languageCode: 'en' })
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [OLGA, BORIS] })
  const mediaPricesMicroRub = new Map([['vidgen-720p-5s', 40_000_000n]])
  return { ...setup, bot: await setup.startBot({ mediaPricesMicroRub }) }
}

/** Lets Olga spend no more than this a month. */
async function limitOlga({ database }: BotSetup, amountMicroRub: bigint): Promise<void> {
  const limit = { subjectId: OLGA, period: 'month', amountMicroRub, setById: BORIS } as const
  await database.prisma.spendLimit.create({ data: limit })
}

/** Erases Olga as `/forget` does once its time has run out. */
function eraseInHaste({ database: { prisma } }: BotSetup): Promise<EraseOutcome> {
  const erase = createEraseUser({
    prisma,
    replies: { stop: async () => 'nothing' },
    clock: createFastClock(100_000),
    calendar: createCalendar({ timeZone: 'UTC' }),
  })
  return erase(OLGA)
}

/** Sends a command and waits until it is handled. */
async function say(setup: BotSetup, text: string, chatId = OLGA): Promise<void> {
  const before = setup.textsIn(chatId).length
  setup.playground.userSends({ userId: OLGA, chatId, text })
  await setup.playground.waitFor(() => setup.textsIn(chatId).length > before)
  await settled(setup)
}

/** Has a question answered with its own words, which are recorded as shown before the answer ends. */
async function ask(
  setup: BotSetup,
  text: string,
  { userId = OLGA, chatId = OLGA }: { userId?: number; chatId?: number } = {},
): Promise<void> {
  setup.playground.userSends({ userId, chatId, text })
  const completion = await setup.service.next()
  completion.delta(completion.prompt)
  const shown = { where: { shownText: completion.prompt } }
  await until(async () => (await setup.database.prisma.turn.count(shown)) > 0)
  completion.finish()
  await setup.playground.waitFor(() => setup.textsIn(chatId).includes(completion.prompt))
  await settled(setup)
}

async function settled({ database }: BotSetup): Promise<void> {
  await until(async () => (await database.prisma.update.count(UNHANDLED)) === 0)
}

test('/forget leaves no word of its user in any column of any table, and every charge', async () => {
  const setup = await openHouse()
  const { prisma } = setup.database
  await say(setup, `/system Speak of ${WORD}`)
  await ask(setup, `What is ${WORD}?`)
  await addPart(setup)
  await ask(setup, `${NAME} what is ${WORD}?`, { chatId: GROUP })
  await ask(setup, `${NAME} what is nougat?`, { chatId: GROUP, userId: BORIS })
  await say(setup, `/system ${WORD}!`, GROUP)
  await addEndedOrder(setup)
  await addPicture(setup)
  await say(setup, `/video 7s ${WORD}`)
  expect(await tablesWith(setup, WORD)).toEqual([
    ...['message', 'order', 'picture', 'turn', 'update', 'user'],
  ])
  const sums = { _sum: { amountMicroRub: true }, _count: true } as const
  const before = await prisma.charge.aggregate(sums)

  await say(setup, '/forget')
  await press(setup, 'Delete', { userId: OLGA })
  await settled(setup)

  expect(setup.textsIn(OLGA).at(-1)).toContain('is deleted')
  expect(await tablesWith(setup, WORD)).toEqual([])
  expect(await tablesWith(setup, 'nougat')).toContain('message')
  expect(await prisma.charge.aggregate(sums)).toEqual(before)
  expect(await prisma.charge.findMany({ where: { userId: OLGA } })).toMatchObject([
    { turnId: null, orderId: null, amountMicroRub: 500_000n },
    { turnId: null, orderId: null, amountMicroRub: 500_000n },
    { turnId: null, orderId: null, amountMicroRub: 40_000_000n },
  ])
})

test('what is being written is stopped and charged, and what waits behind it is dropped', async () => {
  const setup = await openHouse()
  await say(setup, '/forget')
  setup.playground.userSends({ userId: OLGA, text: `Tell of ${WORD}` })
  const completion = await setup.service.next()
  completion.delta(`Once ${WORD}`)
  await setup.playground.waitFor(() => setup.textsIn(OLGA).includes(`Once ${WORD}`))
  setup.playground.userSends({ userId: OLGA, text: `More ${WORD}` })
  const where = { state: 'waiting' } as const
  await until(async () => (await setup.database.prisma.turn.count({ where })) === 1)

  await press(setup, 'Delete', { userId: OLGA })
  await setup.playground.waitFor(() =>
    setup.textsIn(OLGA).some((text) => text?.endsWith('(Stopped.)')),
  )
  completion.finish({ costRub: 0.25 })
  await setup.playground.waitFor(() =>
    setup.textsIn(OLGA).some((text) => text?.includes('is deleted')),
  )
  await settled(setup)

  expect(await tablesWith(setup, WORD)).toEqual([])
  expect(setup.service.completions).toHaveLength(1)
  expect(await setup.database.prisma.charge.findMany()).toMatchObject([
    { userId: BigInt(OLGA), turnId: null, amountMicroRub: 250_000n, estimated: false },
  ])
})

test('a summary that may hold words of its user goes, also one that another had made, and the rest is read again', async () => {
  const setup = await openHouse()
  const { prisma } = setup.database
  await prisma.user.createMany({ data: [OLGA, BORIS].map((id) => ({ id, firstName: 'Any' })) })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: GROUP } })
  let promptMessageId = 0
  const add = async (userId: number, content: string, facts: object = {}) => {
    promptMessageId += 1
    const message = { conversationId, role: 'assistant' as const, content }
    const turn = { conversationId, userId, chatId: GROUP, promptMessageId, model: 'alpha' }
    const ended = { state: 'finished' as const, endedAt: new Date() }
    const rest = { ...ended, messages: { create: message }, ...facts }
    return (await prisma.turn.create({ data: { ...turn, ...rest } })).id
  }
  const before = await add(BORIS, 'nougat')
  const theirs = await add(OLGA, WORD)
  const summaryId = await add(BORIS, `${WORD} and nougat`, { kind: 'summary', shownText: WORD })
  await prisma.turn.updateMany({
    where: { id: { in: [before, theirs] } },
    data: { setAsideAt: new Date(), summaryId },
  })

  expect(await eraseInHaste(setup)).toBe('erased')

  expect(await prisma.message.findMany()).toMatchObject([{ content: 'nougat' }])
  expect(await prisma.turn.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { id: before, setAsideAt: null, summaryId: null },
    { id: summaryId, shownText: '' },
  ])
})

test('a turn that does not come to its end is erased: its request is written off', async () => {
  const setup = await openHouse()
  const { prisma } = setup.database
  await prisma.user.create({ data: { id: OLGA, firstName: WORD } })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: OLGA } })
  const asked = { conversationId, userId: OLGA, chatId: OLGA, promptMessageId: 7, model: 'alpha' }
  const costs = { requestMicroRub: 90n, heldMicroRub: 90n }
  const open = { state: 'streaming', requests: 1, ...costs } as const
  await prisma.turn.create({ data: { ...asked, ...open } })

  expect(await eraseInHaste(setup)).toBe('erased')

  expect(await prisma.turn.count()).toBe(0)
  expect(await prisma.charge.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { turnId: null, amountMicroRub: 0n, writtenOffMicroRub: 90n, estimated: true },
  ])
})

test('/forget erases nothing while a stopped answer goes on unseen, and everything once its cost is known', async () => {
  const setup = await openHouse()
  const { prisma } = setup.database
  await limitOlga(setup, 600_000n)
  setup.playground.userSends({ userId: OLGA, text: 'Tell me everything' })
  const completion = await setup.service.next()
  completion.delta('Once')
  await press(setup, 'Stop', { userId: OLGA })
  await until(async () => (await prisma.turn.count({ where: { endedAt: null } })) === 0)

  expect(await eraseInHaste(setup)).toBe('answer_unpaid')
  setup.playground.userSends({ userId: OLGA, text: 'And once more' })
  await until(async () => setup.textsIn(OLGA).at(-1)?.includes('limit') ?? false)
  completion.finish({ costRub: 0.55 })
  await until(async () => (await prisma.charge.count()) === 1)

  expect(await eraseInHaste(setup)).toBe('erased')
  expect(await prisma.charge.findMany()).toMatchObject([
    { userId: BigInt(OLGA), turnId: null, amountMicroRub: 550_000n },
  ])
})

async function addPart({ database }: BotSetup): Promise<void> {
  const message = { from: { id: OLGA }, text: WORD }
  const payload = { parts: [{ separator: '', message }] }
  await database.prisma.update.create({ data: { id: 1, payload, handledAt: new Date() } })
}

async function addPicture({ database }: BotSetup): Promise<void> {
  const bytes = Buffer.from('a picture')
  const kept = { fileId: WORD, contentType: 'image/png', bytes, keptUntil: new Date() }
  await database.prisma.picture.create({ data: { tokenHash: bytes, userId: OLGA, ...kept } })
}

async function addEndedOrder({ database }: BotSetup): Promise<void> {
  const { id: orderId } = await database.prisma.order.create({
    data: {
      userId: OLGA,
      chatId: OLGA,
      originKey: `message ${OLGA} 999`,
      replyToMessageId: 999,
      kind: 'video',
      params: { prompt: `A ${WORD} runs` },
      label: 'vidgen-720p-5s',
      state: 'delivered',
      endedAt: new Date(),
    },
  })
  const video = { userId: OLGA, orderId, kind: 'video', item: 'vidgen-720p-5s' } as const
  await addCharge(database.prisma, { ...video, amountMicroRub: 40_000_000n })
}

async function tablesWith({ database: { pool } }: BotSetup, word: string): Promise<string[]> {
  const { rows: tables } = await pool.query<{ schema: string; name: string }>(
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
     ORDER BY name`,
  )
  const found = await Promise.all(
    tables.map(async ({ schema, name }) => {
      const sql = `SELECT FROM "${schema}"."${name}" AS line WHERE line::text ILIKE $1 LIMIT 1`
      const { rowCount } = await pool.query(sql, [`%${word}%`])
      return rowCount === 1 ? [name] : []
    }),
  )
  return found.flat()
}
