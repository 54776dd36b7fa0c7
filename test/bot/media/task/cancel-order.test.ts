import { expect, test } from 'vitest'
import { cancelUnsent } from '../../../../src/bot/media/task/cancel-order.ts'
import { LeaseLostError } from '../../../../src/platform/database/instance/instance.ts'
import { createMediaSetup, USER_ID } from '../media-setup.ts'
import { storeOrder } from '../order/store-order.ts'

const ANNA = { userId: USER_ID, isAdmin: false }

test('an order that waits in the queue is cancelled: nothing goes out, nothing is charged', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup({ clipsPerMinute: 1 })
  const { orders } = await startProcess()
  const [first, second] = [command(), command()]
  await orders.create(first)
  await waitForOrder(first, ({ state }) => state === 'generating')
  const { orderId } = await orders.create(second)
  await waitForOrder(second, ({ leaseOwner }) => leaseOwner !== null)

  const outcome = await orders.cancel({ orderId, chatId: USER_ID, actor: ANNA })
  const ended = await waitForOrder(second, ({ endedAt }) => endedAt !== null)

  expect(outcome).toBe('cancelled')
  expect(ended).toMatchObject({ state: 'cancelled', taskId: null })
  const status = playground.transcript(USER_ID).find(({ text }) => text?.includes('Cancelled'))
  expect(status?.text).toBe('5 s, 720p, horizontal\nCancelled. Nothing was charged.')
  expect(status?.replyMarkup).toBeUndefined()
  expect(service.creations).toHaveLength(1)
  expect(await charges()).toHaveLength(1)
})

test('an order that the service has is not cancelled', async () => {
  const { startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  const { orderId } = await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')

  expect(await orders.cancel({ orderId, chatId: USER_ID, actor: ANNA })).toBe('too_late')

  expect(await waitForOrder(given, () => true)).toMatchObject({ state: 'generating' })
})

test('only its user and admins cancel an order, and others only where it stands', async () => {
  const { startProcess, command } = await createMediaSetup({ clipsPerMinute: 1 })
  const { orders } = await startProcess()
  await orders.create(command())
  const { orderId } = await orders.create(command())
  const asked = { orderId, chatId: USER_ID }

  const foreign = await orders.cancel({ ...asked, actor: { userId: 9, isAdmin: false } })
  const elsewhere = await orders.cancel({
    ...asked,
    chatId: 9,
    actor: { userId: 9, isAdmin: true },
  })
  const admin = await orders.cancel({ ...asked, actor: { userId: 9, isAdmin: true } })

  expect([foreign, elsewhere, admin]).toEqual(['not_yours', 'gone', 'cancelled'])
})

test('a cancellation after the submission began changes nothing', async () => {
  const { prisma, store, order } = await storeOrder()
  await store.setSubmitted(order)

  expect(await cancelUnsent(prisma, order)).toBe(false)

  expect(await prisma.order.findFirst()).toMatchObject({ state: 'submitted' })
})

test('a submission after the cancellation does not begin', async () => {
  const { prisma, store, order } = await storeOrder()

  expect(await cancelUnsent(prisma, order)).toBe(true)
  await expect(store.setSubmitted(order)).rejects.toThrow(LeaseLostError)

  expect(await prisma.order.findFirst()).toMatchObject({ state: 'cancelled', endedAt: null })
})

/** No test waits so long: the database's time is moved. */
const CANCEL_MS = 3600_000

test('an order stays for a moment in which Cancel ends it: nothing is asked or charged', async () => {
  const setup = await createMediaSetup()
  const { playground, service, startProcess, command, waitForOrder, charges } = setup
  const { orders } = await startProcess({ cancelMs: CANCEL_MS })
  const given = command()
  const { orderId } = await orders.create(given)
  await waitForOrder(given, isLeftAlone)
  const shown = playground.transcript(USER_ID).at(-1)

  const outcome = await orders.cancel({ orderId, chatId: USER_ID, actor: ANNA })
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(shown?.replyMarkup).toMatchObject({ inline_keyboard: [[{ text: 'Cancel' }]] })
  expect([outcome, order.state]).toEqual(['cancelled', 'cancelled'])
  const [, told, ...rest] = playground.transcript(USER_ID)
  expect(rest).toEqual([])
  expect(told?.text).toBe('5 s, 720p, horizontal\nCancelled. Nothing was charged.')
  expect(service.creations).toEqual([])
  expect(await charges()).toEqual([])
})

test('an order that was left in that moment is placed once, by one of two other processes', async () => {
  const setup = await createMediaSetup()
  const { database, service, startProcess, command, waitForOrder, charges } = setup
  const first = await startProcess({ cancelMs: CANCEL_MS })
  const given = [command(), command(), command(), command()]
  for (const one of given) await first.orders.create(one)
  for (const one of given) await waitForOrder(one, isLeftAlone)

  await first.crash()
  await Promise.all([startProcess(), startProcess()])
  expect(service.creations).toEqual([])
  await database.prisma.$executeRaw`
    UPDATE bot."order" SET leaves_at = now(), due_at = now(), created_at = now() - interval '1 hour'`
  for (const one of given) await waitForOrder(one, ({ state }) => state === 'generating')

  expect(service.creations).toHaveLength(4)
  expect(await charges()).toHaveLength(4)
})

function isLeftAlone(order: { leavesAt: Date | null; leaseOwner: number | null }): boolean {
  return order.leavesAt !== null && order.leaseOwner === null
}
