import { expect, test } from 'vitest'
import { hasJustOrdered } from '../../../../src/bot/media/order/recent-order.ts'
import { ORDER, storeOrder } from './store-order.ts'

test('an order counts as just made for a minute, unless it was cancelled or the same message asks again', async () => {
  const { prisma } = await storeOrder()
  const asker = { userId: ORDER.user.id, originKey: 'message 501 8' }

  expect(await hasJustOrdered(prisma, asker)).toBe(true)
  expect(await hasJustOrdered(prisma, { ...asker, userId: 502 })).toBe(false)
  expect(await hasJustOrdered(prisma, { ...asker, originKey: ORDER.originKey })).toBe(false)
  await prisma.$executeRaw`UPDATE bot."order" SET created_at = now() - interval '61 seconds'`
  expect(await hasJustOrdered(prisma, asker)).toBe(false)
  await prisma.$executeRaw`UPDATE bot."order" SET created_at = now(), state = 'cancelled'`
  expect(await hasJustOrdered(prisma, asker)).toBe(false)
})
