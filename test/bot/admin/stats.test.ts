import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createStats } from '../../../src/bot/admin/stats.ts'
import { conversationOf } from '../../../src/bot/conversations/conversations.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
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
  await database.pool.query('TRUNCATE bot."user", bot.conversation CASCADE')
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
  const { id } = await conversationOf(database, { chatId: USER, threadId: 0 })
  const asked = { conversationId: id, userId: USER, chatId: USER, model: 'alpha' }
  await prisma.turn.createMany({
    data: turns.map((turn, index) => ({ ...asked, promptMessageId: index + 1, ...turn })),
  })
}

async function addOrders(...orders: Partial<Prisma.OrderUncheckedCreateInput>[]): Promise<void> {
  const asked = { userId: USER, chatId: USER, replyToMessageId: 1, params: {}, label: 'video' }
  await database.prisma.order.createMany({
    data: orders.map((order, index) => ({
      ...asked,
      kind: 'video' as const,
      originKey: String(index),
      ...order,
    })),
  })
}

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
