import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID } from './media-setup.ts'

const ANNA = { userId: USER_ID, isAdmin: false }

test('an order that waits in the queue is cancelled: nothing goes out, nothing is charged', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup({ videosPerMinute: 1 })
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
  const { startProcess, command } = await createMediaSetup({ videosPerMinute: 1 })
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

/** No test waits so long. */
const CANCEL_MS = 3600_000

test('an order stays for a moment in which Cancel ends it: nothing is asked or charged', async () => {
  const setup = await createMediaSetup()
  const { playground, service, startProcess, command, waitForOrder, charges } = setup
  const { orders } = await startProcess({ cancelMs: CANCEL_MS })
  const given = command()
  const { orderId } = await orders.create(given)
  await waitForOrder(given, isShown)
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
  const { service, startProcess, command, waitForOrder, charges } = setup
  const first = await startProcess({ cancelMs: CANCEL_MS })
  const given = [command(), command(), command(), command()]
  for (const one of given) await first.orders.create(one)
  for (const one of given) await waitForOrder(one, isShown)
  expect(service.creations).toEqual([])

  await first.crash()
  await Promise.all([startProcess(), startProcess()])
  for (const one of given) await waitForOrder(one, ({ state }) => state === 'generating')

  expect(service.creations).toHaveLength(4)
  expect(await charges()).toHaveLength(4)
})

function isShown(order: { statusMessageId: number | null }): boolean {
  return order.statusMessageId !== null
}
