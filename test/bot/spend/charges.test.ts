import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import {
  rebuildSums,
  recordOrderCharge,
  takeBackOrderCharge,
} from '../../../src/bot/spend/charges.ts'
import { checkSums } from '../../../src/bot/spend/sums.ts'
import type { Prisma } from '../../../src/platform/database/generated/client.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { addCharge, takeBack } from './add-charge.ts'

const USER_ID = 501n
const CALENDAR = createCalendar({ timeZone: 'UTC' })
const PAID = { userId: USER_ID, kind: 'video', item: 'vidgen-720p-5s', estimated: true }
let database: TestDatabase
let messageId = 0

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.create({ data: { id: USER_ID, firstName: 'Anna' } })
})
beforeEach(async () => {
  await database.prisma.charge.deleteMany()
  await database.prisma.spendDay.deleteMany()
})
afterAll(() => database.close())

test('an order that racing processes charge is charged once', async () => {
  const orderId = await addOrder()
  const charge = { orderId, estimated: false }

  await Promise.all(
    [40n, 40n, 40n].map((amountMicroRub) =>
      record((tx) => recordOrderCharge(tx, { ...charge, amountMicroRub }, CALENDAR)),
    ),
  )

  expect(await database.prisma.charge.count()).toBe(1)
})

test.each([
  ['reversal', 'write_off'],
  ['write_off', 'reversal'],
] as const)(
  'a %s is a new row that takes the amount back, once, and no %s follows',
  async (kind, other) => {
    const orderId = await addOrder()
    const charge = { orderId, amountMicroRub: 40_000_000n, estimated: true }
    await record((tx) => recordOrderCharge(tx, charge, CALENDAR))

    await record((tx) => takeBackOrderCharge(tx, orderId, kind, CALENDAR))
    await record((tx) => takeBackOrderCharge(tx, orderId, kind, CALENDAR))
    await record((tx) => takeBackOrderCharge(tx, orderId, other, CALENDAR))

    expect(await database.prisma.charge.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
      { ...PAID, orderId, amountMicroRub: 40_000_000n, reversalOfId: null, writtenOff: false },
      { ...PAID, orderId, amountMicroRub: -40_000_000n, writtenOff: kind === 'write_off' },
    ])
  },
)

test('a charge falls with its transaction', async () => {
  const orderId = await addOrder()
  const charge = { orderId, amountMicroRub: 40n, estimated: false }

  const failing = record(async (tx) => {
    await recordOrderCharge(tx, charge, CALENDAR)
    throw new Error('Something else failed')
  })

  await expect(failing).rejects.toThrow('Something else failed')
  expect(await database.prisma.charge.count()).toBe(0)
})

test('a reversal and a write-off are off what is paid, and the write-off is counted separately', async () => {
  const { prisma } = database
  const video = { userId: USER_ID, kind: 'video', amountMicroRub: 40n, estimated: true } as const
  await takeBack(prisma, await addCharge(prisma, video))
  await takeBack(prisma, await addCharge(prisma, video), { writtenOff: true })

  expect(await prisma.spendDay.findMany()).toMatchObject([
    { charges: 2, amountMicroRub: 0n, estimatedMicroRub: 0n, writtenOffMicroRub: 40n },
  ])
})

test('the check finds a wrong, a missing and a needless sum of a day, and the rebuild makes them anew', async () => {
  const { prisma } = database
  for (const day of ['01', '02', '03']) {
    await addCharge(prisma, { userId: USER_ID, amountMicroRub: 7n, at: `2026-11-${day}T10:00Z` })
  }
  expect(await checkSums(prisma)).toMatchObject({
    charges: 3,
    users: 1,
    amountMicroRub: 21n,
    differences: [],
  })
  const [first, second, third] = await prisma.spendDay.findMany({ orderBy: { day: 'asc' } })
  await prisma.spendDay.updateMany({ where: { day: first?.day ?? '' }, data: { charges: 9 } })
  await prisma.spendDay.deleteMany({ where: { day: second?.day ?? '' } })
  await prisma.spendDay.updateMany({ where: { day: third?.day ?? '' }, data: { item: 'other' } })

  const { differences, differenceCount } = await checkSums(prisma)
  await Promise.all([rebuildSums(prisma), rebuildSums(prisma)])

  const found = differences.map(
    ({ key, column, wanted, kept }) => `${key.slice(4)} ${column} ${wanted} ${kept}`,
  )
  expect(found.toSorted()).toEqual([
    '2026-11-01 answer alpha-large charges 1 9',
    '2026-11-02 answer alpha-large amount_micro_rub 7 0',
    '2026-11-02 answer alpha-large charges 1 0',
    '2026-11-03 answer alpha-large amount_micro_rub 7 0',
    '2026-11-03 answer alpha-large charges 1 0',
    '2026-11-03 answer other amount_micro_rub 0 7',
    '2026-11-03 answer other charges 0 1',
  ])
  expect(differenceCount).toBe(7)
  expect(await checkSums(prisma)).toMatchObject({ amountMicroRub: 21n, differences: [] })
})

function record<T>(act: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
  return database.prisma.$transaction(act)
}

async function addOrder(): Promise<bigint> {
  const order = await database.prisma.order.create({
    data: {
      userId: USER_ID,
      chatId: USER_ID,
      originKey: `message 1 ${++messageId}`,
      replyToMessageId: messageId,
      kind: 'video',
      params: {},
      label: 'vidgen-720p-5s',
    },
  })
  return order.id
}
