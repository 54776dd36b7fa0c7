import { beforeEach, expect, test } from 'vitest'
import { addCharge } from '../spend/add-charge.ts'
import { ADMIN, database, setUp, useCommands, VIEWER } from './commands-setup.ts'

useCommands()

const MOSCOW_NOON = new Date('2026-11-20T09:00:00Z')

beforeEach(async () => {
  await database.pool.query('TRUNCATE bot."user", bot.spend_day CASCADE')
})

async function addUsers(count: number): Promise<void> {
  await database.prisma.user.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      id: 1000 + index,
      firstName: `User ${index}`,
      seenAt: new Date(MOSCOW_NOON.getTime() - index * 60_000),
    })),
  })
}

test('/users shows of each user their access, when they were here, and what they spent', async () => {
  const { send, answerTo } = await setUp()
  await database.prisma.user.createMany({
    data: [
      { id: 10, firstName: 'Anna', username: 'anna_a', seenAt: MOSCOW_NOON },
      { id: 11, firstName: 'Boris', admission: 'blocked' },
      { id: 12, firstName: '', role: 'viewer' },
    ],
  })
  const longAgo = '2026-01-15T10:00Z'
  await addCharge(database.prisma, { userId: 10, amountMicroRub: 12_340_000n })
  await addCharge(database.prisma, { userId: 10, amountMicroRub: 99_000_000n, at: longAgo })
  await addCharge(database.prisma, { userId: 11, amountMicroRub: 5_000_000n, at: longAgo })

  expect(await answerTo(await send('/users', { userId: VIEWER }))).toBe(
    [
      'Everybody who has written to me, most recent first:\n',
      'Anna (@anna_a), 10 — has access; last here: 20 Nov 2026, 12:00; this month: ₽12.34',
      'Boris, 11 — blocked; last here: –; this month: ₽0.00',
      '–, 12 — viewer; last here: –; this month: ₽0.00',
    ].join('\n'),
  )
})

test.each([
  ['User 11', ['1011']],
  ['user 1', ['1001', '1010', '1011']],
  ['"\'; --', []],
])('/users %s finds %j', async (search, ids) => {
  const { send, answerTo } = await setUp()
  await addUsers(12)

  const answer = (await answerTo(await send(`/users ${search}`, { userId: ADMIN }))) ?? ''

  const found = [...answer.matchAll(/, (\d+) — /g)].map(([, id]) => id)
  expect(found).toEqual(ids)
  if (ids.length === 0) expect(answer).toContain('Nobody.')
})

test('/stats counts users, orders in progress, and orders of the last day for a viewer', async () => {
  const { send, answerTo } = await setUp()
  await addUsers(2)
  const order = { userId: 1000, chatId: 1000, replyToMessageId: 1, params: {}, label: 'video' }
  const dayAgo = new Date(Date.now() - 25 * 3600_000)
  await database.prisma.order.createMany({
    data: [
      { ...order, kind: 'video', originKey: '1', state: 'generating', createdAt: dayAgo },
      { ...order, kind: 'image', originKey: '2', state: 'failed', endedAt: new Date() },
      { ...order, kind: 'image', originKey: '3', state: 'delivered', endedAt: dayAgo },
    ],
  })

  expect(await answerTo(await send('/stats', { userId: VIEWER }))).toBe(
    [
      'Users: 2 in total, 0 in the last 24 hours, 0 in the last 7 days.',
      'Answers in the last 24 hours: none.',
      'Orders in progress: being made 1.\nEnded in the last 24 hours: failed 1.',
    ].join('\n\n'),
  )
  expect(await answerTo(await send('/stats'))).toContain('don’t know this command')
})
