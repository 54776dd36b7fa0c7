import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBudget } from '../../../src/bot/spend/budget.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { recordOrderCharge } from '../../../src/bot/spend/charges/order-charges.ts'
import { createServiceBalance } from '../../../src/bot/spend/check/service-balance.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const USER = 501
const ADMIN = { adminId: 7 }
const RUB = 1_000_000n

const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.create({ data: { id: USER, firstName: 'Anna' } })
})
afterAll(() => database.close())

test('a budget of BUDGET_RUB counts until an admin sets another, or takes it away', async () => {
  const { prisma } = database
  const budget = createBudget(prisma, 5000n * RUB)
  expect(await budget.read()).toEqual({ monthMicroRub: 5000n * RUB })

  await budget.set({ monthMicroRub: 300n * RUB }, ADMIN)
  expect(await createBudget(prisma, undefined).read()).toEqual({ monthMicroRub: 300n * RUB })

  await budget.set({ monthMicroRub: undefined }, ADMIN)
  expect(await budget.read()).toEqual({ monthMicroRub: undefined })
  const changes = await prisma.change.findMany({ orderBy: { id: 'asc' } })
  expect(changes.map(({ what, after }) => [what, after])).toEqual([
    ['setting:budget_month_micro_rub', '300000000'],
    ['setting:budget_month_micro_rub', 'off'],
  ])
})

test('what is left of a budget is it less what the month has cost, and nothing else bounds it', async () => {
  const { prisma } = database
  const budget = createBudget(prisma, undefined)
  await budget.set({ monthMicroRub: 100n * RUB }, ADMIN)
  const service = {
    balance: async () => ({ balanceMicroRub: 10n ** 15n, honoursIdempotencyKey: true }),
  }
  const balance = createServiceBalance({ prisma, calendar, service, budget })
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
    month: { spentMicroRub: 40n * RUB, budgetMicroRub: 100n * RUB },
    daysLeft: expect.any(Number),
  })

  await budget.set({ monthMicroRub: undefined }, ADMIN)
  expect(await balance.outlook()).toMatchObject({
    balanceMicroRub: undefined,
    month: { spentMicroRub: 40n * RUB, budgetMicroRub: undefined },
    daysLeft: undefined,
  })
})
