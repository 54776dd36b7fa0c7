import { expect, test } from 'vitest'
import { LeaseLostError } from '../../../../src/platform/database/instance/instance.ts'
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
