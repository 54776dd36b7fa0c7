import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import {
  recordOrderCharge,
  takeBackOrderCharge,
} from '../../../../src/bot/spend/charges/order-charges.ts'
import { createServiceBalance } from '../../../../src/bot/spend/check/service-balance.ts'
import { ServiceUnavailableError } from '../../../../src/contract/client/errors.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const USER = 501

const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
beforeEach(async () => {
  await database.pool.query(
    `TRUNCATE bot.balance_reading, bot.charge, bot.spend_day, bot.spend_total, bot.spender,
       bot.reservation, bot."order", bot."user" CASCADE`,
  )
  await database.prisma.user.create({ data: { id: USER, firstName: 'Anna' } })
})
afterAll(() => database.close())

function setUp() {
  const { prisma } = database
  const account = { microRub: 1_000_000_000n, isAway: false, onRead: async () => {} }
  const balance = createServiceBalance({
    prisma,
    calendar,
    service: {
      async balance() {
        if (account.isAway) throw new ServiceUnavailableError('Away', { status: 503 })
        const balanceMicroRub = account.microRub
        await account.onRead()
        return { balanceMicroRub, honoursIdempotencyKey: false }
      },
    },
  })
  return { account, balance, addOrder, charge, letSettle }

  async function addOrder(state: 'submitted' | 'generating' | 'delivered'): Promise<bigint> {
    const asked = { userId: USER, chatId: USER, kind: 'video', replyToMessageId: 1 } as const
    const { id } = await prisma.order.create({
      data: {
        ...asked,
        originKey: String(Math.random()),
        params: {},
        label: 'vidgen-720p-5s',
        state,
        priceMicroRub: 40_000_000n,
      },
    })
    return id
  }

  async function charge(amountMicroRub: bigint, { estimated = false } = {}): Promise<bigint> {
    const orderId = await addOrder('delivered')
    await recordOrderCharge(prisma, { orderId, amountMicroRub, estimated }, calendar)
    return orderId
  }

  async function letSettle(): Promise<void> {
    await prisma.$executeRaw`UPDATE bot.charge SET created_at = created_at - interval '1 hour'`
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
    mayEvenOut: false,
  })
  expect(Object.values(check?.causes ?? {})).toEqual([0n, 0n, 0n, 0n, 0n])
})

// Promise: A service changes its balance late
test('a service that moves its balance late differs only until it does', async () => {
  const { account, balance, charge, letSettle } = setUp()
  await balance.check()
  await charge(40_000_000n)

  const early = await balance.check()
  account.microRub -= 40_000_000n
  await letSettle()
  const late = await balance.check()

  expect(early).toMatchObject({ differenceMicroRub: -40_000_000n, mayEvenOut: true })
  expect(early?.causes).toMatchObject({ under_way: -40_000_000n, credited: 0n })
  expect(late).toMatchObject({ differenceMicroRub: 0n, mayEvenOut: false })
  expect(late?.causes).toMatchObject({ under_way: 0n, credited: 0n, not_ours: 0n })
})

test('estimates, write-offs, credits and what is not ours are reported separately', async () => {
  const { account, balance, charge, letSettle } = setUp()
  const settled = async () => {
    await letSettle()
    return balance.check()
  }
  await balance.check()

  account.microRub -= 3_000_000n
  await charge(5_000_000n, { estimated: true })
  await settled()
  account.microRub -= 40_000_000n
  const kept = await charge(40_000_000n)
  await takeBackOrderCharge(database.prisma, kept, 'write_off', calendar)
  await settled()
  account.microRub -= 7n
  await settled()
  account.microRub += 500_000_000n
  const check = await settled()

  expect(check?.causes).toEqual({
    written_off: 40_000_000n,
    estimates: -2_000_000n,
    under_way: 0n,
    credited: -500_000_000n,
    not_ours: 7n,
  })
  const { written_off, estimates, credited, not_ours } = check?.causes ?? {}
  expect(check?.differenceMicroRub).toBe(
    (written_off ?? 0n) + (estimates ?? 0n) + (credited ?? 0n) + (not_ours ?? 0n),
  )
})

test('a price given back moves both, and explains itself', async () => {
  const { account, balance, charge, letSettle } = setUp()
  await balance.check()
  const orderId = await charge(40_000_000n)
  await takeBackOrderCharge(database.prisma, orderId, 'reversal', calendar)
  await letSettle()

  expect(await balance.check()).toMatchObject({ differenceMicroRub: 0n, mayEvenOut: false })
  expect(account.microRub).toBe(1_000_000_000n)
})

test('an order whose task failed is under way until its price is taken back here, too', async () => {
  const { account, balance, addOrder } = setUp()
  await balance.check()
  const orderId = await addOrder('generating')
  const charge = { orderId, amountMicroRub: 40_000_000n, estimated: false }
  await recordOrderCharge(database.prisma, charge, calendar)
  await database.prisma
    .$executeRaw`UPDATE bot.charge SET created_at = created_at - interval '1 hour'`

  const check = await balance.check()

  expect(account.microRub).toBe(1_000_000_000n)
  expect(check).toMatchObject({ differenceMicroRub: -40_000_000n, mayEvenOut: true })
  expect(check?.causes).toMatchObject({ under_way: -40_000_000n, credited: 0n })
})

// Promise: Something is charged while the balance is read
test('what is charged while the balance is read makes it read again', async () => {
  const { account, balance, charge } = setUp()
  await balance.check()
  let isFirst = true
  account.onRead = async () => {
    if (!isFirst) return
    isFirst = false
    account.microRub -= 40_000_000n
    await charge(40_000_000n)
  }

  expect(await balance.check()).toMatchObject({
    movedMicroRub: 40_000_000n,
    differenceMicroRub: 0n,
  })
})

test('a reading that says the same as the last one is not kept', async () => {
  const { balance } = setUp()

  for (let count = 0; count < 3; count += 1) await balance.outlook()

  expect(await database.prisma.balanceReading.count()).toBe(1)
})

// Promise: A process of the version before keeps a reading of the balance
test('a check goes on from the last reading that has the causes, and says what all readings say', async () => {
  const { account, balance, charge, letSettle } = setUp()
  await balance.check()
  for (const spentByOthers of [100n, -500n, 30n]) {
    account.microRub -= 1_000n + spentByOthers
    await charge(1_000n)
    await letSettle()
    await balance.outlook()
  }
  const { prisma } = database
  const check = async () => {
    const { to: _, ...facts } = (await balance.check()) ?? {}
    return facts
  }
  const forget = (which: string) =>
    database.pool.query(`UPDATE bot.balance_reading SET cause_written_off = NULL WHERE ${which}`)

  const known = await check()
  // As a process of the version before keeps them.
  await forget('id = (SELECT max(id) FROM bot.balance_reading)')
  const newestUnknown = await check()
  await forget('true')
  const allUnknown = await check()

  expect(await prisma.balanceReading.count()).toBe(4)
  expect(known).toMatchObject({
    causes: { not_ours: 130n, credited: -500n },
    movedMicroRub: 2_630n,
  })
  expect([newestUnknown, allUnknown]).toEqual([known, known])
})

test('a service that does not report its balance leaves nothing to check', async () => {
  const { account, balance } = setUp()
  account.isAway = true

  expect(await balance.report()).toBeUndefined()
  expect(await balance.outlook()).toBeUndefined()
  expect(await balance.check()).toBeUndefined()
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
