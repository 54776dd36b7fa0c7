import { expect, test } from 'vitest'
import { gated, json, lost } from './fake-service.ts'
import { createMediaSetup, type MediaSetup, USER_ID, waitFor } from './media-setup.ts'

const CHARGE = {
  kind: 'video',
  amountMicroRub: 40_000_000n,
  estimated: false,
  writtenOff: false,
}

test('an order stored just before the process died is taken up by the next one', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const first = await setup.startProcess()
  const held = setup.playground.fault({ kind: 'hold', method: 'sendMessage' })
  const creating = first.orders.create(given).catch(() => {})
  await setup.playground.waitFor(() => held.hits === 1)

  await first.crash()
  await setup.startProcess()
  await setup.waitForOrder(given, ({ state }) => state === 'generating')
  held.release()
  await creating

  await expectOneClip(setup, given)
  expect(setup.service.creations).toHaveLength(1)
})

test('an order that waits in the queue is taken up by the next process', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const busy = json(429, { detail: 'Too many' }, { 'retry-after': '3' })
  setup.service.decideCreations(() => busy)
  const first = await setup.startProcess()
  await first.orders.create(given)
  await waitFor(() => setup.service.creations.length > 0)
  await setup.waitForOrder(given, ({ state }) => state === 'placed')

  await first.crash()
  setup.service.decideCreations(setup.service.created)
  await setup.startProcess()

  await expectOneClip(setup, given)
})

test('with keys honoured, a creation without an answer is repeated and finds its task', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  setup.service.honoursKeys()
  setup.service.creationAnswers.push((creation) => {
    setup.service.created(creation)
    return lost
  })
  const { orders } = await setup.startProcess()

  await orders.create(given)

  const order = await expectOneClip(setup, given)
  expect(order.taskId).toBe(1)
  expect(setup.service.creations).toHaveLength(2)
  expect(new Set(setup.service.creations.map(({ key }) => key)).size).toBe(1)
})

test('without keys, a creation without an answer is never repeated: reported, and charged as an estimate', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  setup.service.creationAnswers.push(() => lost)
  const { orders } = await setup.startProcess()

  await orders.create(given)
  const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: -1, taskId: null })
  expect(setup.service.creations).toHaveLength(1)
  expect(await setup.charges()).toEqual([{ ...CHARGE, estimated: true }])
  expect(setup.playground.transcript(USER_ID).at(-1)?.text).toContain(
    'in your spend as an estimate',
  )
})

test.each([true, false])(
  'a crash while the service answers (keys honoured: %s)',
  async (honours) => {
    const setup = await createMediaSetup()
    const given = setup.command()
    if (honours) setup.service.honoursKeys()
    let open = () => {}
    setup.service.creationAnswers.push((creation) => {
      const gate = gated(setup.service.created(creation))
      open = gate.open
      return gate.answer
    })
    const first = await setup.startProcess()
    await first.orders.create(given)
    await setup.waitForOrder(given, ({ state }) => state === 'submitted')

    await first.crash()
    await setup.startProcess()

    if (honours) {
      await setup.waitForOrder(given, ({ state }) => state === 'generating')
      open()
      await expectOneClip(setup, given)
    } else {
      await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
      open()
      expect(await setup.charges()).toEqual([{ ...CHARGE, estimated: true }])
    }
    expect(setup.service.creations).toHaveLength(honours ? 2 : 1)
  },
)

test('with several processes the living one takes up the orders of the dead one', async () => {
  const setup = await createMediaSetup()
  setup.service.honoursKeys()
  const given = setup.command()
  const gate = gated(json(503, { detail: 'Never seen' }))
  setup.service.creationAnswers.push(() => gate.answer)
  const first = await setup.startProcess()
  await first.orders.create(given)
  await setup.waitForOrder(given, ({ state }) => state === 'submitted')
  await setup.startProcess()

  await first.crash()
  const order = await setup.waitForOrder(given, ({ state }) => state === 'generating')
  gate.open()

  expect(order.leaseOwner === null || order.leaseOwner > 0).toBe(true)
  await expectOneClip(setup, given)
})

test('a task is looked at further by the next process', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const first = await setup.startProcess()
  await first.orders.create(given)
  await setup.waitForOrder(given, ({ state }) => state === 'generating')

  await first.crash()
  await setup.startProcess()

  await expectOneClip(setup, given)
})

test.each(['sendMessage', 'editMessageMedia'])(
  'a crash while %s delivers leaves one clip in the chat',
  async (method) => {
    const setup = await createMediaSetup()
    const given = setup.command()
    const first = await setup.startProcess()
    await first.orders.create(given)
    await setup.waitForOrder(given, ({ state }) => state === 'generating')
    const held = setup.playground.fault({ kind: 'holdAfter', method })
    setup.service.succeeds(1)
    await setup.playground.waitFor(() => held.hits === 1)

    await first.crash()
    await setup.startProcess()

    await expectOneClip(setup, given)
    held.release()
  },
)

test.each(['sendMessage', 'editMessageMedia'])(
  'a lost answer to %s leaves one clip in the chat',
  async (method) => {
    const setup = await createMediaSetup()
    const given = setup.command()
    const { orders } = await setup.startProcess()
    await orders.create(given)
    await setup.waitForOrder(given, ({ state }) => state === 'generating')
    const fault = setup.playground.fault({ kind: 'dropAfter', method })

    await expectOneClip(setup, given)

    expect(fault.hits).toBe(1)
  },
)

test('a failure stored just before the process died is shown by the next one, and reversed once', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const first = await setup.startProcess()
  await first.orders.create(given)
  await setup.waitForOrder(given, ({ state }) => state === 'generating')
  // The next edit is that of the failure: the one before it would be held instead, and come last.
  await expect
    .poll(() => setup.playground.transcript(USER_ID)[1]?.text)
    .toContain('The clip is being made.')
  const held = setup.playground.fault({ kind: 'hold', method: 'editMessageText' })
  setup.service.fails(1, { code: 500, message: '' })
  await setup.waitForOrder(given, ({ state }) => state === 'failed')

  await first.crash()
  await setup.startProcess()
  await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  held.release()

  expect(await setup.charges()).toEqual([CHARGE, { ...CHARGE, amountMicroRub: -40_000_000n }])
  await expect
    .poll(() => setup.playground.transcript(USER_ID)[1]?.text)
    .toBe('5 s, 720p, horizontal\nThe clip couldn’t be made. You don’t pay for it (₽40.00).')
})

test('a process that stops leaves its orders to the next one', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const first = await setup.startProcess()
  await first.orders.create(given)
  await setup.waitForOrder(given, ({ state }) => state === 'generating')

  await first.stop()
  const { leaseOwner } = await setup.waitForOrder(given, () => true)
  await setup.startProcess()

  expect(leaseOwner).toBeNull()
  await expectOneClip(setup, given)
})

async function expectOneClip(setup: MediaSetup, given: ReturnType<MediaSetup['command']>) {
  setup.service.succeeds(1)
  const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  expect(order.state).toBe('delivered')
  const clips = setup.playground.transcript(USER_ID).filter(({ video }) => video !== undefined)
  expect(clips).toHaveLength(1)
  expect(await setup.charges()).toEqual([CHARGE])
  return order
}
