import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { recordOrderCharge } from '../../../../src/bot/spend/charges/order-charges.ts'
import { createServiceBalance } from '../../../../src/bot/spend/check/service-balance.ts'
import { EVERYBODY } from '../../../../src/bot/spend/limits/everybody.ts'
import { createLimits } from '../../../../src/bot/spend/limits/limits.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const USER = 501
const RUB = 1_000_000n

const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.create({ data: { id: USER, firstName: 'Anna' } })
})
afterAll(() => database.close())

test('of own money is left what the limit for everybody leaves of the month, and nothing else bounds it', async () => {
  const { prisma } = database
  const limits = createLimits({ prisma, calendar, adminIds: new Set() })
  const limit = { subjectId: EVERYBODY, period: 'month', adminId: 7 } as const
  await limits.set({ ...limit, amountMicroRub: 100n * RUB })
  const service = {
    balance: async () => ({ balanceMicroRub: 10n ** 15n, honoursIdempotencyKey: true }),
  }
  const readMonthLimit = limits.monthOfEverybody
  const balance = createServiceBalance({ prisma, calendar, service, readMonthLimit })
  const order = await prisma.order.create({
    data: {
      ...{ userId: USER, chatId: USER, kind: 'video', replyToMessageId: 1, originKey: 'a' },
      ...{ params: {}, label: 'vidgen-720p-5s', state: 'delivered', priceMicroRub: 40n * RUB },
    },
  })
  const charge = { orderId: order.id, amountMicroRub: 40n * RUB, estimated: false }
  await recordOrderCharge(prisma, charge, calendar)

  expect(await balance.outlook()).toMatchObject({
    balanceMicroRub: 60n * RUB,
    month: { spentMicroRub: 40n * RUB, limitMicroRub: 100n * RUB },
    daysLeft: expect.any(Number),
  })

  await limits.clear(limit)
  expect(await balance.outlook()).toMatchObject({
    balanceMicroRub: undefined,
    month: { spentMicroRub: 40n * RUB, limitMicroRub: undefined },
    daysLeft: undefined,
  })
})
