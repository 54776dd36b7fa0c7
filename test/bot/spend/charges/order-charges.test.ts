import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import {
  recordOrderCharge,
  takeBackOrderCharge,
} from '../../../../src/bot/spend/charges/order-charges.ts'
import type { Prisma } from '../../../../src/platform/database/generated/client.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const USER_ID = 501n
const CALENDAR = createCalendar({ timeZone: 'UTC' })
const PAID = { userId: USER_ID, kind: 'video', item: 'vidgen-720p-5s', estimated: true }
let database: TestDatabase
let messageId = 0

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.create({ data: { id: USER_ID, firstName: 'Anna' } })
})
beforeEach(() => database.prisma.charge.deleteMany())
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
