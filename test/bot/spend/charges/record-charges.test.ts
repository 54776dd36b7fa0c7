import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { takeBackOrderCharge } from '../../../../src/bot/spend/charges/order-charges.ts'
import { checkSums } from '../../../../src/bot/spend/check/check-sums.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { addCharge, takeBack } from '../add-charge.ts'

const ANNA = 501
const GROUP = -70
const SUNDAY = '2026-11-01T10:00Z'
const MONDAY = '2026-11-02T10:00Z'

let database: TestDatabase
let others: TestDatabase

beforeAll(async () => {
  const url = await createTestDatabase()
  database = openTestDatabase({ url })
  others = openTestDatabase({ url })
  const users = Array.from({ length: 10 }, (_, index) => ({ id: ANNA + index, firstName: 'U' }))
  await database.prisma.user.createMany({ data: users })
})
beforeEach(async () => {
  await database.pool.query(
    'TRUNCATE bot.charge, bot.spend_day, bot.spend_total, bot.spender, bot.reservation',
  )
})
afterAll(() => Promise.all([database.close(), others.close()]))

test('a charge is in the sums of its day and of all days, and in the counters of its user and group', async () => {
  const { prisma } = database
  await addCharge(prisma, {
    userId: ANNA,
    chatId: GROUP,
    amountMicroRub: 9n,
    at: MONDAY,
    promptTokens: 3_000,
    historyTokens: 2_000,
    promptPriceMicroRub: 1_500n,
  })

  const sums = { userId: BigInt(ANNA), chatId: BigInt(GROUP), charges: 1, amountMicroRub: 9n }
  expect(await prisma.spendDay.findMany()).toMatchObject([
    { ...sums, day: new Date('2026-11-02'), historyMicroRub: 3n },
  ])
  expect(await prisma.spendTotal.findMany()).toMatchObject([{ ...sums, historyMicroRub: 3n }])
  const counted = { dayMicroRub: 9n, weekMicroRub: 9n, monthMicroRub: 9n, totalMicroRub: 9n }
  expect(await prisma.spender.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { id: BigInt(GROUP), ...counted },
    { id: BigInt(ANNA), ...counted },
  ])
})

test('a private chat is its user, and a group that asks in its own name counts once', async () => {
  await database.prisma.user.create({ data: { id: GROUP, firstName: 'Friends' } })
  await addCharge(database.prisma, { userId: ANNA, amountMicroRub: 5n })
  await addCharge(database.prisma, { userId: GROUP, amountMicroRub: 7n })

  const spenders = await database.prisma.spender.findMany({ orderBy: { id: 'asc' } })

  expect(spenders.map(({ id, totalMicroRub }) => [id, totalMicroRub])).toEqual([
    [BigInt(GROUP), 7n],
    [BigInt(ANNA), 5n],
  ])
})

// Promise: A charge is written at midnight by a clock read before it
test('counters reset with their day, week and month, and a late writer adds to those that have not', async () => {
  const { prisma } = database
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1n, at: '2026-10-31T10:00Z' })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 10n, at: SUNDAY })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 100n, at: MONDAY })
  // It read the clock before midnight and wrote after.
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_000n, at: SUNDAY })

  expect(await prisma.spender.findMany()).toMatchObject([
    {
      day: new Date('2026-11-02'),
      dayMicroRub: 100n,
      weekMicroRub: 100n,
      monthMicroRub: 1_110n,
      totalMicroRub: 1_111n,
    },
  ])
  expect((await checkSums(prisma)).differences).toEqual([])
})

test('a reversal and a write-off are off what is paid, and the write-off is counted separately', async () => {
  const { prisma } = database
  const clip = { userId: ANNA, kind: 'video', amountMicroRub: 40n, estimated: true } as const
  await takeBack(prisma, await addCharge(prisma, clip))
  await takeBack(prisma, await addCharge(prisma, clip), { writtenOff: true })

  expect(await prisma.spendTotal.findMany()).toMatchObject([
    { charges: 2, amountMicroRub: 0n, estimatedMicroRub: 0n, writtenOffMicroRub: 40n },
  ])
})

// Promise: A hundred processes write charges of one group at once
test('a hundred writers of one group over two pools all end, and the sums are right', async () => {
  const { prisma } = database
  const orders = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      prisma.order.create({
        data: {
          userId: ANNA + index,
          chatId: GROUP,
          kind: 'video',
          params: {},
          originKey: `test ${index}`,
          replyToMessageId: 1,
          label: 'clip',
          state: 'generating',
          priceMicroRub: 8n,
        },
      }),
    ),
  )
  for (const { id: orderId, userId } of orders) {
    await addCharge(prisma, { userId, chatId: GROUP, kind: 'video', orderId, amountMicroRub: 8n })
  }
  const calendar = createCalendar({ timeZone: 'UTC' })

  await Promise.all(
    Array.from({ length: 100 }, (_, index): Promise<unknown> => {
      const { prisma: own } = index % 2 === 0 ? database : others
      const user = { userId: ANNA + (index % 10), at: index % 3 === 0 ? SUNDAY : MONDAY }
      const order = orders[index % 10]
      if (index < 20 && order) {
        return own.$transaction((tx) => takeBackOrderCharge(tx, order.id, 'reversal', calendar))
      }
      return addCharge(own, { ...user, chatId: GROUP, amountMicroRub: BigInt(index) })
    }),
  )

  const check = await checkSums(prisma)
  expect(check).toMatchObject({ charges: 100, differenceCount: 0 })
  expect(await prisma.spender.findUnique({ where: { id: GROUP } })).toMatchObject({
    totalMicroRub: check.amountMicroRub,
  })
})
