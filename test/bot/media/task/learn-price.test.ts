import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createOrderStore, type Order } from '../../../../src/bot/media/order/order-store.ts'
import { createLearntPrices } from '../../../../src/bot/media/order/prices.ts'
import { createMediaRules } from '../../../../src/bot/media/order/rules.ts'
import { createPriceLearning } from '../../../../src/bot/media/task/learn-price.ts'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { ServiceUnavailableError } from '../../../../src/contract/client/errors.ts'
import type { OrderState } from '../../../../src/platform/database/generated/enums.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { type AddedCharge, addCharge, takeBack } from '../../spend/add-charge.ts'
import { reserveInTransactionInUtc } from '../../spend/limits/reserve-in-utc.ts'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

const OURS = 7
const LABEL = 'vidgen-720p-5s'
const PAID = {
  kind: 'video',
  amountMicroRub: 40_000_000n,
  estimated: true,
  writtenOff: false,
}
let lastMessageId = 7
const TAKEN = { taskId: 1, expectsCallback: false, statusInMs: 0 }

test('the first order of a label is charged with what the balance fell by, as an estimate', async () => {
  const { database, playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  service.costs(40)
  const { orders } = await startProcess()
  const given = { ...command(), priceMicroRub: null, priceEstimated: true }

  await orders.create(given)
  await waitForOrder(given, ({ priceMicroRub }) => priceMicroRub === 40_000_000n)

  expect(await charges()).toEqual([PAID])
  expect(await createLearntPrices(database.prisma).read()).toEqual(new Map([[LABEL, 40_000_000n]]))
  await playground.waitFor(() => playground.transcript(USER_ID)[1]?.text?.includes('≈\u00a0₽40.00'))
})

test('an order at a learnt price is charged with what its user read, and the new price is learnt', async () => {
  const { database, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  service.costs(50)
  const { orders } = await startProcess()
  const given = { ...command(), priceEstimated: true }

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')

  expect(await charges()).toEqual([PAID])
  await expect
    .poll(() => createLearntPrices(database.prisma).read())
    .toEqual(new Map([[LABEL, 50_000_000n]]))
})

test('a clip whose price could not be learnt is delivered, and not charged', async () => {
  const { service, startProcess, command, waitForOrder, charges } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = { ...command(), priceMicroRub: null, priceEstimated: true }

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')
  service.succeeds(1)
  const order = await waitForOrder(given, ({ state }) => state === 'delivered')

  expect(order.priceMicroRub).toBeNull()
  expect(await charges()).toEqual([])
})

// Promise: No price is known, and something else changes the balance while the order is created
test('orders that went before at an unknown price are charged when it is learnt, but none that failed', async () => {
  const { prisma, learn, addOther } = await setUp([100, 60])
  const before = await addOther({ state: 'delivered' })
  await addOther({ state: 'failed' })
  await addOther({ state: 'placed' })

  const order = await learn()

  expect(order.priceMicroRub).toBe(40_000_000n)
  const charges = await prisma.charge.findMany({ orderBy: { orderId: 'asc' } })
  expect(charges.map(({ orderId }) => orderId)).toEqual([order.id, before])
  expect(await prisma.order.count({ where: { priceMicroRub: null } })).toBe(2)
})

test('an order at an unknown price that nothing is learnt from has the price that was learnt before', async () => {
  const { prisma, learn, addTurn } = await setUp([])
  await createLearntPrices(prisma).learn(LABEL, 30_000_000n)
  await addTurn({ state: 'streaming' })

  const order = await learn()

  expect(order.priceMicroRub).toBe(30_000_000n)
  expect(await prisma.charge.count()).toBe(1)
})

test.each([
  ['it stays', 100, 100],
  ['it rises', 100, 140],
  ['it falls by more than any price', 20_000, 9_000],
])('no price is learnt from a balance where %s', async (_how, before, after) => {
  const { learn, learnt } = await setUp([before, after])

  const order = await learn()

  expect(order.priceMicroRub).toBeNull()
  expect(await learnt()).toEqual(new Map())
})

type Disturbance = (setup: Awaited<ReturnType<typeof setUp>>) => Promise<unknown>

const DISTURBANCES: [string, Disturbance][] = [
  ['another order is at the service', ({ addOther }) => addOther({ state: 'generating' })],
  ['another order goes there', ({ addOther }) => addOther({ state: 'submitted' })],
  ['a turn is answered', ({ addTurn }) => addTurn({ state: 'streaming' })],
  ['a stopped answer goes on unseen', ({ addTurn }) => addTurn({ state: 'stopped' })],
  ['a turn ends that was charged', ({ charge }) => charge()],
  ['a refund may be on its way', ({ refund }) => refund()],
  [
    'a request goes out',
    ({ prisma }) => prisma.serviceGate.updateMany({ data: { sentAt: [new Date()] } }),
  ],
]

// Promise: No price is known, and something else changes the balance while the order is created
test.each(DISTURBANCES)('no price is learnt where %s meanwhile', async (_what, disturb) => {
  const setup = await setUp([100, 60])

  const order = await setup.learn(() => disturb(setup))

  expect(order.priceMicroRub).toBeNull()
  expect(await setup.learnt()).toEqual(new Map())
})

test('what was over before the order was created does not count', async () => {
  const { prisma, learn, learnt, charge, addTurn, addOther } = await setUp([100, 60])
  await charge()
  await addTurn({ state: 'finished' })
  await addOther({ state: 'delivered' })
  await prisma.serviceGate.updateMany({ data: { sentAt: [new Date()] } })

  await learn()

  expect(await learnt()).toEqual(new Map([[LABEL, 40_000_000n]]))
})

test('the balance is not asked for where the price is served, or something is under way', async () => {
  const served = await setUp([])
  const busy = await setUp([])
  await busy.addTurn({ state: 'streaming' })

  expect(await served.begin({ priceEstimated: false, priceMicroRub: 40_000_000n })).toBeUndefined()
  expect(await busy.begin()).toBeUndefined()
})

test('an order goes where the balance cannot be read, before it or after', async () => {
  const never = await setUp([])
  const once = await setUp([100])

  expect((await never.learn()).priceMicroRub).toBeNull()
  expect((await once.learn()).priceMicroRub).toBeNull()
})

/** An order at an unknown price, and a service whose balance is each of these in turn, and then away. */
async function setUp(balancesRub: number[]) {
  const { prisma, close } = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(close)
  const rules = createMediaRules(prisma)
  const calendar = createCalendar({ timeZone: 'UTC' })
  const store = createOrderStore({
    prisma,
    rules,
    instanceId: OURS,
    calendar,
    reserveIn: reserveInTransactionInUtc,
  })
  const { orderId } = await store.insert(orderOf('message 501 7'))
  await prisma.order.updateMany({ data: { leaseOwner: OURS } })
  const given = await store.read(orderId)
  if (given === undefined) throw new Error('The order was not stored')
  const prices = createLearntPrices(prisma)
  const learning = createPriceLearning({
    prisma,
    service: { balance },
    learnt: prices,
    calendar,
    log: pino({ level: 'silent' }),
  })
  return { prisma, learn, learnt: prices.read, begin, addOther, addTurn, charge, refund }

  async function balance() {
    const rub = balancesRub.shift()
    if (rub === undefined) throw new ServiceUnavailableError('Cannot read balance: it is away')
    return { balanceMicroRub: BigInt(rub) * 1_000_000n, honoursIdempotencyKey: false }
  }

  function begin(changes: Partial<Order> = {}) {
    return learning.begin({ ...given, ...changes } as Order)
  }

  /** Has the order taken by the service, with what happens beside it. */
  async function learn(meanwhile: () => Promise<unknown> = async () => {}): Promise<Order> {
    const order = given as Order
    const watch = await learning.begin(order)
    const submitted = await store.setSubmitted(order)
    await meanwhile()
    const made = await store.setGenerating(submitted, TAKEN)
    return learning.end(made, watch)
  }

  async function addOther(data: { state: OrderState }): Promise<bigint> {
    const { orderId: id } = await store.insert(orderOf(`message 501 ${++lastMessageId}`))
    await prisma.order.update({ where: { id }, data })
    return id
  }

  async function addTurn({ state }: { state: 'streaming' | 'stopped' | 'finished' }) {
    const { id: conversationId } = await prisma.conversation.create({ data: { chatId: 501 } })
    const asked = { conversationId, userId: 501, chatId: 501, promptMessageId: 9 }
    await prisma.turn.create({ data: { ...asked, model: 'alpha-large', state } })
  }

  function charge(facts: Partial<AddedCharge> = {}) {
    return addCharge(prisma, { userId: 501, amountMicroRub: 1_000_000n, ...facts })
  }

  /** Takes back a charge of long ago. */
  async function refund() {
    return takeBack(prisma, await charge({ kind: 'video' }))
  }
}

function orderOf(originKey: string) {
  return {
    user: { id: 501, firstName: 'Anna', languageCode: 'en' },
    chatId: 501,
    threadId: 0,
    originKey,
    replyToMessageId: 7,
    media: { kind: 'video', request: { prompt: 'a fox', aspect_ratio: '1280:720' } },
    label: LABEL,
    priceMicroRub: null,
    priceEstimated: true,
  } as const
}
