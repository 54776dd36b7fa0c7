import { expect, onTestFinished, test, vi } from 'vitest'
import { createOrderStore } from '../../src/bot/media/order/order-store.ts'
import { createMediaRules } from '../../src/bot/media/order/rules.ts'
import { createCalendar } from '../../src/bot/spend/calendar.ts'
import { recordOrderCharge } from '../../src/bot/spend/charges.ts'
import { Reports } from '../../src/bot/spend/reports.ts'
import { registerInstance } from '../../src/platform/database/instance/instance.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { limitsInUtc } from './spend/limits-setup.ts'

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
  const { url, prisma } = await openDatabase()
  const instance = await registerInstance({ url, onError: () => {} })
  onTestFinished(() => instance.release())
  const store = createOrderStore({
    prisma,
    rules: createMediaRules(prisma),
    instanceId: instance.id,
    calendar: CALENDAR,
    limits: limitsInUtc(prisma),
  })
  setClockAhead(aheadMs)
  await store.insert({
    user: { id: 501, firstName: 'Anna', languageCode: 'en' },
    chatId: 501,
    threadId: 0,
    originKey: 'message 501 1',
    replyToMessageId: 1,
    media: { kind: 'video', request: { prompt: 'a fox', aspect_ratio: '1280:720' } },
    label: 'vidgen-720p-5s',
    priceMicroRub: 40_000_000n,
  })
  const { id } = await prisma.order.findFirstOrThrow()
  return { prisma, store, order: await store.read(id) }
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
