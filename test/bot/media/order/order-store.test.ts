import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { hasJustOrdered } from '../../../../src/bot/media/drafts.ts'
import { createOrderStatus } from '../../../../src/bot/media/order/order-status.ts'
import { LeaseLostError } from '../../../../src/platform/database/instance/instance.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { orderOf } from '../order-of.ts'
import { ORDER, storeOrder } from './store-order.ts'

const OTHERS = 8

test('an order whose lease another process has is not changed, and nothing is charged', async () => {
  const { prisma, order, store } = await storeOrder()
  const submitted = await store.setSubmitted(order)
  await prisma.order.update({ where: { id: order.id }, data: { leaseOwner: OTHERS } })

  await expect(
    store.setGenerating(submitted, { taskId: 1, statusInMs: 0, expectsCallback: false }),
  ).rejects.toThrow(LeaseLostError)

  expect(await prisma.order.findFirst()).toMatchObject({ state: 'submitted', taskId: null })
  expect(await prisma.charge.count()).toBe(0)
})

test('of one button of a user at most one order is under way, and a press that is repeated makes none', async () => {
  const { prisma, store } = await storeOrder()
  const tap = (press: string) =>
    store.insert({ ...ORDER, originKey: `press ${press}`, buttonKey: 'again 7 501' })

  const first = await tap('1')
  const twice = await tap('2')
  await prisma.order.updateMany({ data: { endedAt: new Date(), dueAt: null } })
  const repeated = await tap('1')
  const later = await tap('3')

  expect(first.isNew).toBe(true)
  expect(twice).toEqual({ ...first, isNew: false })
  expect(repeated).toEqual({ ...first, isNew: false })
  expect(later.isNew).toBe(true)
})

test('an order counts as just made for a minute, unless it was cancelled', async () => {
  const { prisma } = await storeOrder()
  const userId = ORDER.user.id

  expect(await hasJustOrdered(prisma, userId)).toBe(true)
  expect(await hasJustOrdered(prisma, 502)).toBe(false)
  await prisma.$executeRaw`UPDATE bot."order" SET created_at = now() - interval '61 seconds'`
  expect(await hasJustOrdered(prisma, userId)).toBe(false)
  await prisma.$executeRaw`UPDATE bot."order" SET created_at = now(), state = 'cancelled'`
  expect(await hasJustOrdered(prisma, userId)).toBe(false)
})

const STATUS_MS = 15_000

test('a queue position is shown when it changes, at most every 15 s', async () => {
  const clock = createManualClock()
  const edits: string[] = []
  const status = createOrderStatus({
    store: { setStatusMessage: async (order) => order, setStatusDue: async () => {} },
    outbox: {
      send: async ({ chatId }) => ({ chatId, messageId: 50 }),
      edit: async () => 'shown',
      remove: async () => {},
      editInterim: async (_target, source) => {
        edits.push(String(source))
        return 'shown'
      },
    },
    texts: createTexts(),
    cancelMs: 3_000,
    statusMs: STATUS_MS,
    clock,
    log: pino({ level: 'silent' }),
  })
  const followed = status.follow(orderOf())
  const positions = [3, 3, 2, 1].map((position) => ({
    position,
    waitMs: position * 20_000,
    isAway: false,
  }))

  for (const position of positions) {
    followed.show(position)
    await followed.settled()
    clock.advance(STATUS_MS / 3)
  }
  expect(followed.freeInMs()).toBe((STATUS_MS * 2) / 3)

  expect(edits.map((text) => text.split('\n')[1])).toEqual([
    'Place in the queue: 3, about 1 min. Only a few orders a minute can be taken.',
    'You’re next in the queue, about 20 s. Only a few orders a minute can be taken.',
  ])
})
