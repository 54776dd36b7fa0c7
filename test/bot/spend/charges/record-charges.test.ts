import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkSums } from '../../../../src/bot/spend/check/check-sums.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { addCharge, takeBack } from '../add-charge.ts'

const ANNA = 501
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
