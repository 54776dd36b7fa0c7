import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID, waitFor } from '../media-setup.ts'

const GROUP = -601
const CHARGE = {
  kind: 'video',
  amountMicroRub: 40_000_000n,
  estimated: false,
  writtenOff: false,
}

async function createAbsence({ chatId = USER_ID } = {}) {
  const setup = await createMediaSetup()
  const { playground, service, startProcess, command, waitForOrder } = setup
  playground.addGroup({ id: GROUP, title: 'Foxes', members: [USER_ID] })
  const { orders } = await startProcess()
  const given = { ...command(), chatId }
  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')
  return { ...setup, orders, given, isParked }

  async function isParked() {
    service.succeeds(1)
    const order = await waitForOrder(given, ({ parkedAt }) => parkedAt !== null)
    await waitForOrder(given, ({ leaseOwner }) => leaseOwner === null)
    return order
  }
}

test('a clip for a user who blocked the bot is kept, and given once when they return', async () => {
  const { playground, orders, given, isParked, waitForOrder, charges } = await createAbsence()
  playground.blocks(USER_ID)
  expect(await isParked()).toMatchObject({ state: 'ready', endedAt: null })

  playground.unblocks(USER_ID)
  await orders.giveKept(USER_ID)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'delivered', parkedAt: null })
  expect(playground.transcript(USER_ID).filter(({ video }) => video)).toHaveLength(1)
  expect(await charges()).toEqual([CHARGE])
})

test.each(['kicked', 'left'] as const)(
  'a clip for a group that the bot has %s is kept, and given once when it is back',
  async (status) => {
    const { playground, orders, given, isParked, waitForOrder } = await createAbsence({
      chatId: GROUP,
    })
    playground.setBotStatus(GROUP, status)
    await isParked()

    playground.setBotStatus(GROUP, 'member')
    await orders.giveKept(GROUP)
    await waitForOrder(given, ({ state }) => state === 'delivered')

    expect(playground.transcript(GROUP).filter(({ video }) => video)).toHaveLength(1)
  },
)

test('who returns while the last refusal is on its way is given the clip at once', async () => {
  const { playground, service, orders, given, waitForOrder } = await createAbsence()
  playground.blocks(USER_ID)
  const held = playground.fault({ kind: 'holdAfter', method: 'sendMessage' })
  const refusals = () => playground.calls.filter(({ body }) => body?.ok === false).length
  service.succeeds(1)
  await waitFor(() => refusals() === 1)

  playground.unblocks(USER_ID)
  await orders.giveKept(USER_ID)
  held.release()
  await waitForOrder(given, ({ state }) => state === 'delivered')

  expect(playground.transcript(USER_ID).filter(({ video }) => video)).toHaveLength(1)
})
