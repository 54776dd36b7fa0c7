import { expect, test } from 'vitest'
import { LimitReachedError } from '../../../src/bot/spend/limits.ts'
import { json } from './fake-service.ts'
import { createMediaSetup, type MediaSetup, USER_ID } from './media-setup.ts'

const PRICE = 40_000_000n

async function setLimit({ database }: MediaSetup, amountMicroRub: bigint): Promise<void> {
  const data = { subjectId: USER_ID, period: 'all', amountMicroRub, setById: 1 } as const
  await database.prisma.spendLimit.create({ data })
}

async function reserved({ database }: MediaSetup): Promise<bigint> {
  const { _sum } = await database.prisma.order.aggregate({ _sum: { heldMicroRub: true } })
  return _sum.heldMicroRub ?? 0n
}

test('an order reserves its price, and the charge ends that', async () => {
  const setup = await createMediaSetup({ videosPerMinute: 1 })
  const { orders } = await setup.startProcess()
  const [first, second] = [setup.command(), setup.command()]

  await orders.create(first)
  await setup.waitForOrder(first, ({ state }) => state === 'generating')
  await orders.create(second)

  expect(await setup.charges()).toHaveLength(1)
  expect(await reserved(setup)).toBe(PRICE)
})

test('of orders created at once in two processes only those are there that the limit has room for', async () => {
  const setup = await createMediaSetup()
  await setLimit(setup, 3n * PRICE)
  const processes = [await setup.startProcess(), await setup.startProcess()]
  const given = Array.from({ length: 12 }, () => setup.command())

  const outcomes = await Promise.allSettled(
    given.map((order, index) => processes[index % 2]?.orders.create(order)),
  )

  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(9)
  expect(refused[0]).toMatchObject({ reason: expect.any(LimitReachedError) })
  expect(await setup.database.prisma.order.count()).toBe(3)
})

test.each([['refused by the service', json(422, { detail: [{ msg: 'no' }] })]])(
  'an order that is %s gives back what it reserved',
  async (_how, answer) => {
    const setup = await createMediaSetup()
    setup.service.decideCreations(() => answer)
    const { orders } = await setup.startProcess()
    const given = setup.command()

    await orders.create(given)
    await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)

    expect(await setup.charges()).toEqual([])
    expect(await reserved(setup)).toBe(0n)
  },
)

test('an order that is cancelled gives back what it reserved', async () => {
  const setup = await createMediaSetup({ parallelMax: 1 })
  const { orders } = await setup.startProcess()
  await orders.create(setup.command())
  const { orderId } = await orders.create(setup.command())

  await orders.cancel({
    orderId,
    chatId: USER_ID,
    actor: { userId: USER_ID, isAdmin: false },
  })

  await expect.poll(() => reserved(setup)).toBe(0n)
})

test('an order whose process died keeps what it reserved until the next one has it charged', async () => {
  const setup = await createMediaSetup({ videosPerMinute: 1 })
  await setLimit(setup, 2n * PRICE)
  const first = await setup.startProcess()
  const [one, two, three] = [setup.command(), setup.command(), setup.command()]
  await first.orders.create(one)
  await setup.waitForOrder(one, ({ state }) => state === 'generating')
  await first.orders.create(two)

  await first.crash()
  const next = await setup.startProcess({ cancelMs: 3600_000 })

  await expect(next.orders.create(three)).rejects.toBeInstanceOf(LimitReachedError)
  expect(await reserved(setup)).toBe(PRICE)
  const where = { originKey: two.originKey }
  const { id: orderId } = await setup.database.prisma.order.findUniqueOrThrow({ where })
  await next.orders.cancel({
    orderId,
    chatId: USER_ID,
    actor: { userId: USER_ID, isAdmin: false },
  })
  await next.orders.create(three)
  expect(await reserved(setup)).toBe(PRICE)
})
