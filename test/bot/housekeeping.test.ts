import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type BotRetention,
  createHousekeeping,
  deleteOld as deleteOldRows,
} from '../../src/bot/housekeeping.ts'
import { checkSums } from '../../src/bot/spend/sums.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'
import { addCharge } from './spend/add-charge.ts'

const ALL: BotRetention = { turns: 30, orders: 30, changes: 30 }
const OLD = 31
const USER = 101
const MINUTE_MS = 60_000
const LOOPS = 3

async function setUp() {
  const { pool, prisma, close } = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(close)
  await prisma.user.create({ data: { id: USER, firstName: 'Anna' } })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: USER } })
  const log = { info: vi.fn() }
  let lastId = 0
  return { pool, prisma, log, addTurn, addOrder, addCard, addChange, deleteOld, left }

  async function deleteOld(retention: BotRetention, signal = new AbortController().signal) {
    await deleteOldRows({ pool, settings: { retention }, log }, signal)
  }

  async function addTurn(agoDays: number, { hasEnded = true } = {}): Promise<bigint> {
    const createdAt = daysAgo(agoDays)
    const turn = await prisma.turn.create({
      data: {
        conversationId,
        userId: USER,
        chatId: USER,
        promptMessageId: ++lastId,
        model: 'alpha-large',
        state: hasEnded ? 'finished' : 'streaming',
        requests: 1,
        createdAt,
        endedAt: hasEnded ? createdAt : null,
      },
    })
    for (const role of ['user', 'assistant'] as const) {
      const content = `words of ${role}`
      await prisma.message.create({ data: { conversationId, turnId: turn.id, role, content } })
    }
    await addCharge(prisma, {
      userId: USER,
      turnId: turn.id,
      request: 1,
      amountMicroRub: 5n,
      at: createdAt,
    })
    return turn.id
  }

  async function addOrder(agoDays: number, { hasEnded = true } = {}): Promise<bigint> {
    const at = daysAgo(agoDays)
    const order = await prisma.order.create({
      data: {
        userId: USER,
        chatId: USER,
        kind: 'image',
        originKey: `command ${++lastId}`,
        replyToMessageId: lastId,
        params: { prompt: 'a fox' },
        label: 'imagegen',
        state: hasEnded ? 'delivered' : 'generating',
        idempotencyKey: crypto.randomUUID(),
        createdAt: at,
        ...(hasEnded && { endedAt: at }),
      },
    })
    await addCharge(prisma, {
      userId: USER,
      orderId: order.id,
      amountMicroRub: 7n,
      kind: 'image',
      at,
    })
    return order.id
  }

  async function addCard(agoDays: number): Promise<bigint> {
    const asked = { originKey: `command ${++lastId}`, replyToMessageId: lastId }
    const draft = { state: 'draft', draft: {}, params: {}, label: 'imagegen' } as const
    const user = { userId: USER, chatId: USER, kind: 'image' } as const
    const data = { ...user, ...asked, ...draft, createdAt: daysAgo(agoDays) }
    return (await prisma.order.create({ data })).id
  }

  async function addChange(agoDays: number): Promise<bigint> {
    const data = { adminId: 1, what: 'role', after: 'viewer', createdAt: daysAgo(agoDays) }
    return (await prisma.change.create({ data })).id
  }

  async function left() {
    const [turns, orders, changes] = await Promise.all([
      prisma.turn.findMany({ orderBy: { id: 'asc' } }),
      prisma.order.findMany({ orderBy: { id: 'asc' } }),
      prisma.change.findMany(),
    ])
    const idsOf = (rows: { id: bigint }[]) => rows.map(({ id }) => id)
    return {
      turns: idsOf(turns),
      orders: idsOf(orders),
      changes: idsOf(changes),
    }
  }
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 24 * 3600_000)
}

test('what has ended so many days ago is deleted, a question with its answer; what is younger or under way stays', async () => {
  const { prisma, addTurn, addOrder, addCard, addChange, deleteOld, left } = await setUp()
  await addTurn(OLD)
  await addOrder(OLD)
  await addCard(OLD)
  await addChange(OLD)
  const kept = {
    turns: [await addTurn(OLD, { hasEnded: false }), await addTurn(29)],
    orders: [await addOrder(OLD, { hasEnded: false }), await addOrder(29), await addCard(0)],
    changes: [await addChange(29)],
  }

  await deleteOld(ALL)

  expect(await left()).toEqual(kept)
  const messages = await prisma.message.findMany({ select: { turnId: true, role: true } })
  expect(messages.map(({ turnId }) => turnId)).toEqual(kept.turns.flatMap((id) => [id, id]))
})

test('every charge and every sum stays as it is, and their check finds nothing', async () => {
  const { prisma, addTurn, addOrder, deleteOld } = await setUp()
  for (const days of [OLD, 400, 1]) await addTurn(days)
  for (const days of [OLD, 400, 1]) await addOrder(days)
  const readCharges = () =>
    prisma.charge.findMany({
      select: { id: true, userId: true, kind: true, item: true, amountMicroRub: true, day: true },
      orderBy: { id: 'asc' },
    })
  const before = [await readCharges(), await checkSums(prisma)]

  await deleteOld(ALL)

  expect([await readCharges(), await checkSums(prisma)]).toEqual(before)
  expect(await prisma.charge.count({ where: { turnId: null, orderId: null } })).toBe(4)
})

test('without a setting only cards are deleted, and each setting deletes its own', async () => {
  const { addTurn, addOrder, addCard, addChange, deleteOld, left } = await setUp()
  await addTurn(OLD)
  await addOrder(OLD)
  const changes = [await addChange(OLD)]
  const before = await left()
  await addCard(OLD)

  await deleteOld({})
  const untouched = await left()
  await deleteOld({ turns: 30 })

  expect(untouched).toEqual(before)
  expect(await left()).toEqual({ turns: [], orders: before.orders, changes })
})

test('the active process shows notices each second, looks at the digest each minute and at the money each five minutes, until it stops', async () => {
  const clock = createManualClock()
  const showDue = vi.fn(async () => {})
  const sendDigest = vi.fn(async () => {})
  const look = vi.fn(async () => {})
  const deleteOld = vi.fn(async () => {})
  const over = new AbortController()
  const housekeeping = createHousekeeping({
    showNotices: showDue,
    watchMoney: look,
    sendDigest,
    deleteOld,
    clock,
    log: { warn: () => {} },
  })
  onTestFinished(() => over.abort())
  housekeeping.start(over.signal)

  await clock.run(3_500)
  expect(showDue).toHaveBeenCalledTimes(3)
  expect([sendDigest, look].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
  await clock.run(57_000)
  await expect.poll(() => deleteOld.mock.calls.length).toBe(1)
  await clock.untilAsleep(LOOPS)
  await clock.run(5 * MINUTE_MS)
  await expect.poll(() => deleteOld.mock.calls.length).toBe(2)
  expect(sendDigest).toHaveBeenCalledTimes(6)
  over.abort()
  await housekeeping.whenStopped()

  expect(look).toHaveBeenCalledTimes(2)
})

test('work that fails is logged, and done again', async () => {
  const clock = createManualClock()
  const showDue = vi.fn(async () => {}).mockRejectedValueOnce(new Error('The database is away'))
  const warn = vi.fn()
  const over = new AbortController()
  const done = async () => {}
  const housekeeping = createHousekeeping({
    showNotices: showDue,
    watchMoney: done,
    sendDigest: done,
    deleteOld: done,
    clock,
    log: { warn },
  })
  onTestFinished(() => over.abort())
  housekeeping.start(over.signal)

  await clock.run(2_500)

  expect(showDue).toHaveBeenCalledTimes(2)
  expect(warn).toHaveBeenCalledOnce()
})
