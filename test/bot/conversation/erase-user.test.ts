import { expect, test } from 'vitest'
import { createEraseUser } from '../../../src/bot/conversation/erase-user.ts'
import { createTurns } from '../../../src/bot/reply/turns.ts'
import { systemClock } from '../../../src/time/clock.ts'
import { BORIS, createHouse, type House } from '../house.ts'
import { press } from '../reply/buttons.ts'
import { until } from '../reply/ended.ts'

const OLGA = 201
const GROUP = -7
const NAME = '@kopeck_playground_bot'
/** Stands in everything that Olga says and reads, and in her name. */
const WORD = 'marzipan'

test('/forget leaves no word of its user in any column of any table, and every charge', async () => {
  const house = await openHouse()
  const { prisma } = house.database
  await say(house, `/system Speak of ${WORD}`)
  await ask(house, `What is ${WORD}?`)
  await addPart(house)
  await ask(house, `${NAME} what is ${WORD}?`, { chatId: GROUP })
  await ask(house, `${NAME} what is nougat?`, { chatId: GROUP, userId: BORIS })
  await say(house, `/system ${WORD}!`, GROUP)
  await addEndedOrder(house)
  expect(await tablesWith(house, WORD)).toEqual(['message', 'order', 'prompt_part', 'turn', 'user'])
  await until(async () => (await prisma.lineEntry.count()) === 3)
  const sums = { _sum: { amountMicroRub: true }, _count: true } as const
  const before = await prisma.charge.aggregate(sums)

  await say(house, '/forget')
  await press(house, 'Erase', { userId: OLGA })
  await settled(house)

  expect(house.said(OLGA).at(-1)).toContain('is erased')
  expect(await tablesWith(house, WORD)).toEqual([])
  expect(await tablesWith(house, 'nougat')).toContain('message')
  expect(await prisma.lineEntry.findMany()).toMatchObject([{ userId: BigInt(BORIS) }])
  expect(await prisma.charge.aggregate(sums)).toEqual(before)
  expect(await prisma.charge.findMany({ where: { userId: OLGA } })).toMatchObject([
    { turnId: null, orderId: null, amountMicroRub: 500_000n },
    { turnId: null, orderId: null, amountMicroRub: 500_000n },
    { turnId: null, orderId: null, amountMicroRub: 40_000_000n },
  ])
})

test('what is being written is stopped and charged, and what waits behind it is dropped', async () => {
  const house = await openHouse()
  await say(house, '/forget')
  house.playground.userSends({ userId: OLGA, text: `Tell of ${WORD}` })
  const completion = await house.service.next()
  completion.delta(`Once ${WORD}`)
  await house.playground.waitFor(() => house.said(OLGA).includes(`Once ${WORD}`))
  house.playground.userSends({ userId: OLGA, text: `More ${WORD}` })
  await until(async () => (await house.database.prisma.update.count(UNHANDLED)) === 2)

  await press(house, 'Erase', { userId: OLGA })
  await house.playground.waitFor(() =>
    house.said(OLGA).some((text) => text?.endsWith('(Stopped.)')),
  )
  completion.finish({ costRub: 0.25 })
  await house.playground.waitFor(() => house.said(OLGA).some((text) => text?.includes('is erased')))
  await settled(house)

  expect(await tablesWith(house, WORD)).toEqual([])
  expect(house.service.completions).toHaveLength(1)
  expect(await house.database.prisma.charge.findMany()).toMatchObject([
    { userId: BigInt(OLGA), turnId: null, amountMicroRub: 250_000n, estimated: false },
  ])
})

test('after /forget the bot answers as if it had never heard of the user', async () => {
  const house = await openHouse()
  await ask(house, `What is ${WORD}?`)
  await say(house, '/forget')
  await press(house, 'Erase', { userId: OLGA })
  await settled(house)

  house.playground.userSends({ userId: OLGA, text: 'Hello' })
  const completion = await house.service.next()
  completion.finish()

  expect(completion.request.messages).toEqual([{ role: 'user', content: 'Hello' }])
})

test('a stream that runs dry after its turn was erased is charged without it', async () => {
  const house = await openHouse()
  await ask(house, `What is ${WORD}?`)
  const { prisma } = house.database
  const turns = createTurns(house.database)
  const [row] = await prisma.turn.findMany()
  const turn = await turns.find({ chatId: OLGA, messageId: row?.promptMessageId ?? 0 })
  if (turn === undefined) throw new Error('There is no turn')
  await prisma.charge.deleteMany()
  await createEraseUser({ prisma, stopTurn: async () => 'nothing', clock: systemClock }).erase(OLGA)

  await turns.charge(turn, { amountMicroRub: 7n, estimated: false })

  expect(await prisma.charge.findMany()).toMatchObject([{ turnId: null, amountMicroRub: 7n }])
  expect(await tablesWith(house, WORD)).toEqual([])
})

test('erasing again changes nothing', async () => {
  const { database } = await openHouse()
  const { prisma } = database
  await prisma.user.create({ data: { id: OLGA, firstName: WORD, admission: 'allowed' } })
  const { erase } = createEraseUser({ prisma, stopTurn: async () => 'nothing', clock: systemClock })

  expect([await erase(OLGA), await erase(OLGA), await erase(999)]).toEqual([
    'erased',
    'erased',
    'erased',
  ])

  // What the admins decided is theirs.
  expect(await prisma.user.findMany()).toMatchObject([{ firstName: '', admission: 'allowed' }])
})

const UNHANDLED = { where: { handledAt: null } }

async function openHouse(): Promise<House> {
  const house = await createHouse()
  house.playground.addUser({ id: OLGA, firstName: `Olga ${WORD}`, languageCode: 'en' })
  house.playground.addGroup({ id: GROUP, title: 'Friends', members: [OLGA, BORIS] })
  await house.startBot()
  return house
}

/** Sends a command and waits until it is handled. */
async function say(house: House, text: string, chatId = OLGA): Promise<void> {
  const before = house.said(chatId).length
  house.playground.userSends({ userId: OLGA, chatId, text })
  await house.playground.waitFor(() => house.said(chatId).length > before)
  await settled(house)
}

/** Has a question answered with its own words, which are noted as shown before the answer ends. */
async function ask(
  house: House,
  text: string,
  { userId = OLGA, chatId = OLGA }: { userId?: number; chatId?: number } = {},
): Promise<void> {
  house.playground.userSends({ userId, chatId, text })
  const completion = await house.service.next()
  completion.delta(completion.prompt)
  const shown = { where: { shownText: completion.prompt } }
  await until(async () => (await house.database.prisma.turn.count(shown)) > 0)
  completion.finish()
  await house.playground.waitFor(() => house.said(chatId).includes(completion.prompt))
  await settled(house)
}

async function settled({ database }: House): Promise<void> {
  await until(async () => (await database.prisma.update.count(UNHANDLED)) === 0)
}

/** A message that was one prompt with others. */
async function addPart({ database }: House): Promise<void> {
  const message = { from: { id: OLGA }, text: WORD }
  const part = { chatId: OLGA, messageId: 998, firstId: 997, separator: '', message }
  await database.prisma.promptPart.create({ data: part })
}

/** A clip that was delivered, and paid for. */
async function addEndedOrder({ database }: House): Promise<void> {
  const { id: orderId } = await database.prisma.order.create({
    data: {
      userId: OLGA,
      chatId: OLGA,
      commandMessageId: 999,
      params: { prompt: `A ${WORD} runs` },
      label: 'vidgen-720p-5s',
      state: 'delivered',
      endedAt: new Date(),
    },
  })
  await database.prisma.charge.create({
    data: {
      userId: OLGA,
      orderId,
      kind: 'order',
      amountMicroRub: 40_000_000n,
      item: 'vidgen-720p-5s',
    },
  })
}

/** The tables that have a word in any column of any row. */
async function tablesWith({ database: { pool } }: House, word: string): Promise<string[]> {
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
