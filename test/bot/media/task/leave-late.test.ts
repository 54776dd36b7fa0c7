import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

const ANNA = { userId: USER_ID, isAdmin: false }
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
