import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createStats } from '../../../src/bot/admin/stats.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { createConversations } from '../../../src/bot/talk/conversation/conversations.ts'
import type { Prisma } from '../../../src/platform/database/generated/client.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const NOW = new Date()
const HOUR_MS = 3600_000
const USER = 501

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
beforeEach(async () => {
  await database.pool.query('TRUNCATE bot."user", bot.conversation, bot.queue_entry CASCADE')
  await database.prisma.user.create({ data: { id: USER, firstName: 'Anna' } })
})
afterAll(() => database.close())

function hoursAgo(hours: number): Date {
  return new Date(NOW.getTime() - hours * HOUR_MS)
}

function readStats() {
  const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
  return createStats({ prisma: database.prisma, calendar }).read()
}

async function addTurns(...turns: Partial<Prisma.TurnUncheckedCreateInput>[]): Promise<void> {
  const { prisma } = database
  const { id } = await createConversations(prisma).current({ chatId: USER, threadId: 0 })
  const asked = { conversationId: id, userId: USER, chatId: USER, model: 'alpha' }
  await prisma.turn.createMany({
    data: turns.map((turn, index) => ({ ...asked, promptMessageId: index + 1, ...turn })),
  })
}

async function addOrders(...orders: Partial<Prisma.OrderUncheckedCreateInput>[]): Promise<void> {
  const asked = { userId: USER, chatId: USER, replyToMessageId: 1, params: {}, label: 'clip' }
  await database.prisma.order.createMany({
    data: orders.map((order, index) => ({
      ...asked,
      kind: 'video' as const,
      originKey: String(index),
      ...order,
      ...(order.endedAt !== undefined && { dueAt: null }),
    })),
  })
}

test('an empty bot has nothing to count', async () => {
  expect(await readStats()).toEqual({
    users: { all: 1, today: 0, week: 0 },
    turns: [],
    orders: [],
    oldestOrderAt: undefined,
    errors: [],
    queues: [],
  })
})

test('users count by when they were last seen', async () => {
  await database.prisma.user.createMany({
    data: [
      { id: 1, firstName: 'Boris', seenAt: NOW },
      { id: 2, firstName: 'Carl', seenAt: hoursAgo(26) },
      { id: 3, firstName: 'Dora', seenAt: hoursAgo(24 * 8) },
    ],
  })

  expect((await readStats()).users).toEqual({ all: 4, today: 1, week: 2 })
})

test('turns of the last day count by state, and their errors by code', async () => {
  await addTurns(
    { state: 'finished' },
    { state: 'finished' },
    { state: 'streaming' },
    { state: 'failed', errorCode: 'service_unavailable' },
    { state: 'failed', errorCode: 'service_unavailable' },
    { state: 'failed', errorCode: 'internal' },
    { state: 'stopped', errorCode: 'not_asked' },
    { state: 'failed', errorCode: 'internal', createdAt: hoursAgo(25) },
  )

  const { turns, errors } = await readStats()

  expect(turns).toEqual([
    { state: 'failed', count: 3 },
    { state: 'finished', count: 2 },
    { state: 'stopped', count: 1 },
    { state: 'streaming', count: 1 },
  ])
  expect(errors).toEqual([
    { kind: 'chat', code: 'service_unavailable', count: 2 },
    { kind: 'chat', code: 'internal', count: 1 },
  ])
})

test('orders count while they are under way, however old, and for a day after their end', async () => {
  await addOrders(
    { state: 'generating', createdAt: hoursAgo(50) },
    { state: 'ready', parkedAt: NOW, createdAt: hoursAgo(90) },
    { state: 'failed', errorCode: 503, createdAt: hoursAgo(2) },
    { state: 'delivered', endedAt: NOW },
    { state: 'failed', kind: 'image', errorCode: 503, endedAt: NOW },
    { state: 'delivered', endedAt: hoursAgo(25) },
  )

  const { orders, oldestOrderAt, errors } = await readStats()

  expect(orders).toEqual([
    { state: 'delivered', isEnded: true, count: 1 },
    { state: 'failed', isEnded: false, count: 1 },
    { state: 'failed', isEnded: true, count: 1 },
    { state: 'generating', isEnded: false, count: 1 },
    { state: 'ready', isEnded: false, count: 1 },
  ])
  expect(oldestOrderAt).toEqual(hoursAgo(50))
  expect(errors).toEqual([
    { kind: 'video', code: '503', count: 1 },
    { kind: 'image', code: '503', count: 1 },
  ])
})

test('each queue has how many wait, since when, and how many are asked', async () => {
  const entry = { userId: USER, kind: 'chat' }
  await database.prisma.queueEntry.createMany({
    data: [
      { ...entry, id: 1, queuedAt: hoursAgo(3), sentAt: NOW },
      { ...entry, id: 2, queuedAt: hoursAgo(2) },
      { ...entry, id: 3, queuedAt: hoursAgo(1) },
      { ...entry, kind: 'video', id: 1, queuedAt: NOW, sentAt: NOW },
    ],
  })

  expect((await readStats()).queues).toEqual([
    { kind: 'chat', waiting: 2, asked: 1, oldestAt: hoursAgo(2) },
    { kind: 'video', waiting: 0, asked: 1, oldestAt: null },
  ])
})

// Promise: Turns and orders are many
test('what grows without end is read by an index', async () => {
  const plan = async (sql: string) => {
    const { rows } = await database.pool.query(`EXPLAIN ${sql}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  const { id } = await createConversations(database.prisma).current({ chatId: USER, threadId: 0 })
  await database.pool.query(`
    INSERT INTO bot.turn (conversation_id, user_id, chat_id, prompt_message_id, model, state, created_at)
    SELECT ${id}, ${USER}, ${USER}, n, 'alpha', 'finished', now() - n * interval '10 minutes'
    FROM generate_series(1, 20000) AS n`)
  await database.pool.query(`
    INSERT INTO bot."order" (user_id, chat_id, kind, origin_key, reply_to_message_id, params, label,
      state, ended_at, due_at, idempotency_key)
    SELECT ${USER}, ${USER}, 'video', n, 1, '{}', 'clip', 'delivered', now() - n * interval '10 minutes',
      NULL, gen_random_uuid()
    FROM generate_series(1, 20000) AS n`)
  await database.pool.query('ANALYZE bot.turn, bot."order"')

  const turns = "SELECT count(*) FROM bot.turn WHERE created_at > now() - interval '1 day'"
  const orders = `SELECT count(*) FROM bot."order"
    WHERE ended_at IS NULL OR ended_at > now() - interval '1 day'`
  expect(await plan(turns)).toContain('turn_created_at_idx')
  expect(await plan(orders)).toContain('order_ended_at_idx')
  expect((await readStats()).turns).toEqual([{ state: 'finished', count: 143 }])
})
