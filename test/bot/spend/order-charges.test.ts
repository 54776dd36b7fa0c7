import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordOrderCharge, takeBackOrderCharge } from '../../../src/bot/spend/order-charges.ts'
import type { Prisma } from '../../../src/database/generated/client.ts'
import { openTestDatabase, type TestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'

const USER_ID = 501n
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
  const charge = { userId: USER_ID, orderId, estimated: false, item: 'vidgen-720p-5s' }

  await Promise.all(
    [40n, 40n, 40n].map((amountMicroRub) =>
      record((tx) => recordOrderCharge(tx, { ...charge, amountMicroRub })),
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
    const charge = { userId: USER_ID, orderId, amountMicroRub: 40_000_000n, item: 'vidgen-720p-5s' }
    await record((tx) => recordOrderCharge(tx, { ...charge, estimated: true }))

    await record((tx) => takeBackOrderCharge(tx, orderId, kind))
    await record((tx) => takeBackOrderCharge(tx, orderId, kind))
    await record((tx) => takeBackOrderCharge(tx, orderId, other))

    expect(await database.prisma.charge.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
      { kind: 'order', amountMicroRub: 40_000_000n, estimated: true },
      { kind, amountMicroRub: -40_000_000n, estimated: true, item: 'vidgen-720p-5s' },
    ])
  },
)

test('an order without a charge has nothing to take back', async () => {
  const orderId = await addOrder()

  await record((tx) => takeBackOrderCharge(tx, orderId, 'reversal'))

  expect(await database.prisma.charge.count()).toBe(0)
})

test('a charge falls with its transaction', async () => {
  const orderId = await addOrder()
  const charge = { userId: USER_ID, orderId, amountMicroRub: 40n, estimated: false, item: 'x' }

  const failing = record(async (tx) => {
    await recordOrderCharge(tx, charge)
    throw new Error('Something else failed')
  })

  await expect(failing).rejects.toThrow('Something else failed')
  expect(await database.prisma.charge.count()).toBe(0)
})

test('a negative amount is a mistake of the program', async () => {
  const orderId = await addOrder()
  const charge = { userId: USER_ID, orderId, amountMicroRub: -1n, estimated: false, item: 'x' }

  await expect(record((tx) => recordOrderCharge(tx, charge))).rejects.toThrow(RangeError)
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
