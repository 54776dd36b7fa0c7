import { expect, test } from 'vitest'
import { hasJustOrdered } from '../../../src/bot/media/drafts.ts'
import { cancelOrder } from '../../../src/bot/media/place-order.ts'
import { LeaseLostError } from '../../../src/platform/database/instance/instance.ts'
import { OURS } from './orders-app.ts'
import { createOrder, ORDER, storeOrder } from './store-order.ts'

const ANNA = { userId: 501, isAdmin: false }

test('an order whose lease another process has is not changed, and nothing is charged', async () => {
  const { prisma, order, rows } = await storeOrder()
  const submitted = await rows.setSubmitted(order)
  await prisma.order.update({ where: { id: order.id }, data: { leaseOwner: OURS + 1 } })

  const task = { taskId: 1, expectsCallback: false }
  await expect(rows.setGenerating(submitted, task)).rejects.toThrow(LeaseLostError)

  expect(await prisma.order.findFirst()).toMatchObject({ state: 'submitted', taskId: null })
  expect(await prisma.charge.count()).toBe(0)
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

test('an order is cancelled or submitted, never both', async () => {
  const { prisma, app, rows, order } = await storeOrder()
  const second = await createOrder(app, { ...ORDER, originKey: 'message 501 8' })
  await prisma.order.updateMany({ data: { leaseOwner: OURS } })
  const cancel = (orderId: bigint) =>
    cancelOrder(prisma, { orderId, chatId: ORDER.chatId, actor: ANNA })

  await rows.setSubmitted(order)
  expect(await cancel(order.id)).toBe('too_late')

  const other = await rows.readOwn(second)
  expect(await cancel(second)).toBe('cancelled')
  await expect(rows.setSubmitted(other ?? order)).rejects.toThrow(LeaseLostError)
  const states = await prisma.order.findMany({ orderBy: { id: 'asc' }, select: { state: true } })
  expect(states).toEqual([{ state: 'submitted' }, { state: 'cancelled' }])
})
