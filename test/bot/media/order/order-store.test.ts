import { expect, test } from 'vitest'
import { LeaseLostError } from '../../../../src/platform/database/instance/instance.ts'
import { recordPlans } from '../../../platform/database/made-plans.ts'
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

test('what asks for an order twice gets the same one, and that it is not new', async () => {
  const { prisma, order, store } = await storeOrder()

  expect(await store.insert(ORDER)).toEqual({ orderId: order.id, isNew: false })

  const another = await store.insert({ ...ORDER, originKey: 'message 501 8' })
  expect(another).toEqual({ orderId: expect.any(BigInt), isNew: true })
  expect(await prisma.order.count()).toBe(2)
})

// Promise: A button is tapped twice, or its press is handled again
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

test('results are recorded by one plan of Prisma, whatever they are', async () => {
  const { prisma, order, store } = await storeOrder()
  const ready = await store.setReady(order, [])
  await store.setReady(ready, ['https://results.example/1.mp4'])
  const plans = await recordPlans()

  await store.setReady(ready, ['https://results.example/2.mp4', 'https://results.example/3.mp4'])

  expect(plans).toEqual([])
  const { resultUrls } = await prisma.order.findFirstOrThrow()
  expect(resultUrls).toEqual(['https://results.example/2.mp4', 'https://results.example/3.mp4'])
})
