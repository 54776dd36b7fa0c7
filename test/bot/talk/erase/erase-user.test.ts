import { expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createEraseUser } from '../../../../src/bot/talk/erase/erase-user.ts'
import { systemClock } from '../../../../src/platform/time/clock.ts'
import { BORIS, type BotSetup } from '../../bot-setup.ts'
import { addCharge } from '../../spend/add-charge.ts'
import { press } from '../reply/buttons.ts'
import { until } from '../turns/ended.ts'
import { ask, GROUP, NAME, OLGA, openHouse, say, settled, UNHANDLED, WORD } from './erase-setup.ts'

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
  await prisma.conversation.updateMany({ data: { title: WORD, titleAuthorId: OLGA } })
  expect(await tablesWith(setup, WORD)).toEqual([
    ...['conversation', 'message', 'order', 'order_card', 'picture', 'prompt_part', 'turn', 'user'],
  ])
  await prisma.queueEntry.createMany({
    data: [OLGA, BORIS].map((id) => ({
      kind: 'chat',
      id,
      userId: id,
      queuedAt: new Date(),
      leaseOwner: null,
    })),
  })
  const sums = { _sum: { amountMicroRub: true }, _count: true } as const
  const before = await prisma.charge.aggregate(sums)

  await say(setup, '/forget')
  await press(setup, 'Delete', { userId: OLGA })
  await settled(setup)

  expect(setup.textsIn(OLGA).at(-1)).toContain('is deleted')
  expect(await tablesWith(setup, WORD)).toEqual([])
  expect(await tablesWith(setup, 'nougat')).toContain('message')
  expect(await prisma.queueEntry.findMany()).toMatchObject([{ userId: BigInt(BORIS) }])
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
  await until(async () => (await setup.database.prisma.update.count(UNHANDLED)) === 2)

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
  const { database } = await openHouse()
  const { prisma } = database
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

  await createEraseUser({
    prisma,
    stopTurn: async () => 'nothing',
    clock: systemClock,
    calendar: createCalendar({ timeZone: 'UTC' }),
  }).erase(OLGA)

  expect(await prisma.message.findMany()).toMatchObject([{ content: 'nougat' }])
  expect(await prisma.turn.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { id: before, setAsideAt: null, summaryId: null },
    { id: summaryId, shownText: '' },
  ])
})

async function addPart({ database }: BotSetup): Promise<void> {
  const message = { from: { id: OLGA }, text: WORD }
  const part = { chatId: OLGA, messageId: 998, firstId: 997, separator: '', message }
  await database.prisma.promptPart.create({ data: part })
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
      dueAt: null,
      endedAt: new Date(),
    },
  })
  const clip = { userId: OLGA, orderId, kind: 'video', item: 'vidgen-720p-5s' } as const
  await addCharge(database.prisma, { ...clip, amountMicroRub: 40_000_000n })
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
