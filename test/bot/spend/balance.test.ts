import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ServiceBalance } from '../../../src/bot/spend/balance.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { recordOrderCharge, takeBackOrderCharge } from '../../../src/bot/spend/charges.ts'
import { EVERYBODY, Limits } from '../../../src/bot/spend/limits.ts'
import { ServiceError } from '../../../src/contract/client/service-error.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const USER = 501
const RUB = 1_000_000n

const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
beforeEach(async () => {
  await database.pool.query(
    `TRUNCATE bot.balance_reading, bot.charge, bot.spend_day, bot."order", bot."user" CASCADE`,
  )
  await database.prisma.user.create({ data: { id: USER, firstName: 'Anna' } })
})
afterAll(() => database.close())

function setUp() {
  const { prisma } = database
  const account = { microRub: 1_000_000_000n, isAway: false }
  const balance = new ServiceBalance({
    prisma,
    calendar,
    service: {
      async balance() {
        if (account.isAway) throw new ServiceError('service_unavailable', 'Away', { status: 503 })
        return { balanceMicroRub: account.microRub, honoursIdempotencyKey: false }
      },
    },
  })
  return { account, balance, charge }

  async function addOrder(): Promise<bigint> {
    const asked = { userId: USER, chatId: USER, kind: 'video', replyToMessageId: 1 } as const
    const { id } = await prisma.order.create({
      data: {
        ...asked,
        originKey: String(Math.random()),
        params: {},
        label: 'vidgen-720p-5s',
        state: 'delivered',
        priceMicroRub: 40_000_000n,
      },
    })
    return id
  }

  async function charge(amountMicroRub: bigint, { estimated = false } = {}): Promise<bigint> {
    const orderId = await addOrder()
    await recordOrderCharge(prisma, { orderId, amountMicroRub, estimated }, calendar)
    return orderId
  }
}

test('an account from which only our charges go has a difference of nothing, at once', async () => {
  const { account, balance, charge } = setUp()
  await balance.check()

  account.microRub -= 40_000_000n
  await charge(40_000_000n)
  const check = await balance.check()

  expect(check).toMatchObject({
    movedMicroRub: 40_000_000n,
    chargedMicroRub: 40_000_000n,
    differenceMicroRub: 0n,
  })
})

test('estimates, write-offs, credits and what is not ours make the difference', async () => {
  const { account, balance, charge } = setUp()
  await balance.check()

  account.microRub -= 3_000_000n
  await charge(5_000_000n, { estimated: true })
  account.microRub -= 40_000_000n
  const kept = await charge(40_000_000n)
  await takeBackOrderCharge(database.prisma, kept, 'write_off', calendar)
  account.microRub -= 7n
  account.microRub += 500_000_000n
  const check = await balance.check()

  expect(check?.differenceMicroRub).toBe(40_000_000n - 2_000_000n + 7n - 500_000_000n)
})

test('the pace is that of the last seven days, and of a younger bot that of its days', async () => {
  const { account, balance } = setUp()
  account.microRub = 70_000_000n
  const spend = async (daysAgo: number, amountMicroRub: bigint) => {
    await database.prisma.$executeRaw`
      INSERT INTO bot.spend_day (user_id, chat_id, day, kind, item, charges, amount_micro_rub,
        estimated_micro_rub, written_off_micro_rub, history_micro_rub)
      VALUES (${USER}, ${USER}, ${calendar.today()} - ${daysAgo}::int, 'answer', 'alpha', 1,
        ${amountMicroRub - 1_000_000n}, 0, 1000000, 0)`
  }
  expect(await balance.outlook()).toMatchObject({ dayPaceMicroRub: 0n, daysLeft: undefined })

  await spend(0, 7_000_000n)
  expect(await balance.outlook()).toMatchObject({ dayPaceMicroRub: 7_000_000n, daysLeft: 10 })

  await spend(30, 900_000_000n)
  await spend(6, 35_000_000n)
  // Today has gone on between no time at all and a whole day.
  const pace = Number((await balance.outlook())?.dayPaceMicroRub)
  expect(pace).toBeGreaterThanOrEqual(42_000_000 / 7)
  expect(pace).toBeLessThanOrEqual(42_000_000 / 6)
})

test('of own money is left what the limit for everybody leaves of the month, and nothing else bounds it', async () => {
  const { prisma } = database
  const limits = new Limits({ prisma, calendar, adminIds: new Set() })
  const limit = { subjectId: EVERYBODY, period: 'month', adminId: 7 } as const
  await limits.set({ ...limit, amountMicroRub: 100n * RUB })
  const service = {
    balance: async () => ({ balanceMicroRub: 10n ** 15n, honoursIdempotencyKey: true }),
  }
  const readMonthLimit = () => limits.monthOfEverybody()
  const balance = new ServiceBalance({ prisma, calendar, service, readMonthLimit })
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
