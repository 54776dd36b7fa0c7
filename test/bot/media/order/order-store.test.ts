import { expect, onTestFinished, test } from 'vitest'
import { createOrderStore } from '../../../../src/bot/media/order/order-store.ts'
import { createMediaRules } from '../../../../src/bot/media/rules.ts'
import { LeaseLostError } from '../../../../src/database/instance.ts'
import { openTestDatabase } from '../../../database/open-test-database.ts'
import { createTestDatabase } from '../../../database/test-database.ts'

const OURS = 7
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

test('a change from a state that the order has left changes nothing', async () => {
  const { prisma, order, store } = await storeOrder()
  await store.setSubmitted(order)

  await expect(store.setSubmitted(order)).rejects.toThrow(LeaseLostError)

  expect(await prisma.order.findFirst()).toMatchObject({ state: 'submitted' })
})

test('an order is due at once, and not any more when it has ended', async () => {
  const { prisma, order, store } = await storeOrder()

  expect(order.dueAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
  await store.end(order)

  expect(await prisma.order.findFirst()).toMatchObject({ dueAt: null, endedAt: expect.any(Date) })
})

test('what asks for an order twice is told the same one, and that it is not new', async () => {
  const { prisma, order, store } = await storeOrder()

  expect(await store.insert(ORDER)).toEqual({ orderId: order.id, isNew: false })

  const another = await store.insert({ ...ORDER, originKey: 'message 501 8' })
  expect(another).toEqual({ orderId: expect.any(BigInt), isNew: true })
  expect(await prisma.order.count()).toBe(2)
})

/** Of this process, which has the lease. */
async function storeOrder() {
  const url = await createTestDatabase()
  const { prisma, close } = openTestDatabase({ url })
  onTestFinished(close)
  const store = createOrderStore({ prisma, rules: createMediaRules(prisma), instanceId: OURS })
  await store.insert(ORDER)
  await prisma.order.updateMany({ data: { leaseOwner: OURS } })
  const { id } = await prisma.order.findFirstOrThrow()
  const order = await store.read(id)
  if (order === undefined) throw new Error('The order was not stored')
  return { prisma, store, order }
}

const ORDER = {
  user: { id: 501, firstName: 'Anna', languageCode: 'en' },
  chatId: 501,
  threadId: 0,
  originKey: 'message 501 7',
  replyToMessageId: 7,
  media: {
    kind: 'video',
    request: { prompt: 'a fox', duration: 5, quality: '720p', aspect_ratio: '1280:720' },
  },
  label: 'vidgen-720p-5s',
  priceMicroRub: 40_000_000n,
  priceEstimated: false,
} as const
