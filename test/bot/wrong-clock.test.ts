import { expect, onTestFinished, test, vi } from 'vitest'
import { OrderRows } from '../../src/bot/media/order-rows.ts'
import { createCalendar } from '../../src/bot/spend/calendar.ts'
import { recordOrderCharge } from '../../src/bot/spend/charges.ts'
import { Reports } from '../../src/bot/spend/reports.ts'
import { registerInstance } from '../../src/platform/database/instance/instance.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { createOrdersApp } from './media/orders-app.ts'
import { createOrder } from './media/store-order.ts'

const CALENDAR = createCalendar({ timeZone: 'UTC' })

const HOUR_MS = 3_600_000

function setClockAhead(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}

async function openDatabase() {
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  onTestFinished(() => database.close())
  return { url, ...database }
}

async function storeOrder(aheadMs: number) {
  const { url, prisma, pool } = await openDatabase()
  const instance = await registerInstance({ url, onError: () => {} })
  onTestFinished(() => instance.release())
  const app = createOrdersApp({ prisma, pool }, { leaseOwner: instance.id })
  setClockAhead(aheadMs)
  const orderId = await createOrder(app, {
    user: { id: 501, firstName: 'Anna', languageCode: 'en' },
    chatId: 501,
    threadId: 0,
    originKey: 'message 501 1',
    replyToMessageId: 1,
    media: { kind: 'video', request: { prompt: 'a fox', aspect_ratio: '1280:720' } },
    label: 'vidgen-720p-5s',
    priceMicroRub: 40_000_000n,
  })
  return { prisma, order: await new OrderRows(app).read(orderId) }
}

test('an order is as old as the database says, for every process that took it or reads it', async () => {
  const { order } = await storeOrder(2 * HOUR_MS)

  expect(order?.ageMs()).toBeGreaterThanOrEqual(0)
  expect(order?.ageMs()).toBeLessThan(HOUR_MS)
})

test('what was spent today is today by the database, for every process that records it or asks', async () => {
  const { prisma, order } = await storeOrder(40 * 24 * HOUR_MS)
  const charge = { orderId: order?.id ?? 0n, amountMicroRub: 40_000_000n, estimated: false }
  await recordOrderCharge(prisma, charge, CALENDAR)

  const { sum } = await new Reports({ prisma, calendar: CALENDAR }).overview({
    span: 'today',
  })

  expect(sum.amountMicroRub).toBe(40_000_000n)
})
