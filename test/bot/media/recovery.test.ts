import { expect, test } from 'vitest'
import { gated, json, lost } from './fake-service.ts'
import { createStage, type Stage, USER_ID, waitFor } from './stage.ts'

const CHARGE = { kind: 'order', amountMicroRub: 40_000_000n, estimated: false }

test('an order stored just before the process died is taken up by the next one', async () => {
  const stage = await createStage()
  const given = stage.command()
  const first = await stage.startProcess()
  const held = stage.playground.fault({ kind: 'hold', method: 'sendMessage' })
  const placing = first.orders.place(given).catch(() => {})
  await stage.playground.waitFor(() => held.hits === 1)

  await first.crash()
  await stage.startProcess()
  await stage.waitForOrder(given, ({ state }) => state === 'generating')
  held.release()
  await placing

  await expectOneClip(stage, given)
  expect(stage.service.creations).toHaveLength(1)
})

test('an order that waits in line is taken up by the next process', async () => {
  const stage = await createStage()
  const given = stage.command()
  const busy = json(429, { detail: 'Too many' }, { 'retry-after': '600' })
  stage.service.creationAnswers.push(() => busy)
  const first = await stage.startProcess()
  await first.orders.place(given)
  await waitFor(() => stage.service.creations.length === 1)
  await stage.waitForOrder(given, ({ state }) => state === 'placed')

  await first.crash()
  await stage.startProcess()

  await expectOneClip(stage, given)
})

test('with keys honoured, a creation without an answer is repeated and finds its task', async () => {
  const stage = await createStage()
  const given = stage.command()
  stage.service.honoursKeys()
  stage.service.creationAnswers.push((creation) => {
    stage.service.created(creation)
    return lost
  })
  const { orders } = await stage.startProcess()

  await orders.place(given)

  const order = await expectOneClip(stage, given)
  expect(order.taskId).toBe(1)
  expect(stage.service.creations).toHaveLength(2)
  expect(new Set(stage.service.creations.map(({ key }) => key)).size).toBe(1)
})

test('without keys, a creation without an answer is never repeated: told, and noted as an estimate', async () => {
  const stage = await createStage()
  const given = stage.command()
  stage.service.creationAnswers.push(() => lost)
  const { orders } = await stage.startProcess()

  await orders.place(given)
  const order = await stage.waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: -1, taskId: null })
  expect(stage.service.creations).toHaveLength(1)
  expect(await stage.charges()).toEqual([{ ...CHARGE, estimated: true }])
  expect(stage.playground.transcript(USER_ID).at(-1)?.text).toContain('noted as an estimate')
})

test.each([true, false])(
  'a crash while the service answers (keys honoured: %s)',
  async (honours) => {
    const stage = await createStage()
    const given = stage.command()
    if (honours) stage.service.honoursKeys()
    let open = () => {}
    stage.service.creationAnswers.push((creation) => {
      const gate = gated(stage.service.created(creation))
      open = gate.open
      return gate.answer
    })
    const first = await stage.startProcess()
    await first.orders.place(given)
    await stage.waitForOrder(given, ({ state }) => state === 'submitted')

    await first.crash()
    await stage.startProcess()

    if (honours) {
      await stage.waitForOrder(given, ({ state }) => state === 'generating')
      open()
      await expectOneClip(stage, given)
    } else {
      await stage.waitForOrder(given, ({ endedAt }) => endedAt !== null)
      open()
      expect(await stage.charges()).toEqual([{ ...CHARGE, estimated: true }])
    }
    expect(stage.service.creations).toHaveLength(honours ? 2 : 1)
  },
)

test('with several processes the living one takes up the orders of the dead one', async () => {
  const stage = await createStage()
  stage.service.honoursKeys()
  const given = stage.command()
  const gate = gated(json(503, { detail: 'Never seen' }))
  stage.service.creationAnswers.push(() => gate.answer)
  const first = await stage.startProcess()
  await first.orders.place(given)
  await stage.waitForOrder(given, ({ state }) => state === 'submitted')
  await stage.startProcess()

  await first.crash()
  const order = await stage.waitForOrder(given, ({ state }) => state === 'generating')
  gate.open()

  expect(order.leaseOwner === null || order.leaseOwner > 0).toBe(true)
  await expectOneClip(stage, given)
})

test('a task is looked at further by the next process', async () => {
  const stage = await createStage()
  const given = stage.command()
  const first = await stage.startProcess()
  await first.orders.place(given)
  await stage.waitForOrder(given, ({ state }) => state === 'generating')

  await first.crash()
  await stage.startProcess()

  await expectOneClip(stage, given)
})

test.each(['sendMessage', 'editMessageMedia'])(
  'a crash while %s delivers leaves one clip in the chat',
  async (method) => {
    const stage = await createStage()
    const given = stage.command()
    const first = await stage.startProcess()
    await first.orders.place(given)
    await stage.waitForOrder(given, ({ state }) => state === 'generating')
    const held = stage.playground.fault({ kind: 'holdAfter', method })
    stage.service.succeeds(1)
    await stage.playground.waitFor(() => held.hits === 1)

    await first.crash()
    await stage.startProcess()

    await expectOneClip(stage, given)
    held.release()
  },
)

test.each(['sendMessage', 'editMessageMedia'])(
  'a lost answer to %s leaves one clip in the chat',
  async (method) => {
    const stage = await createStage()
    const given = stage.command()
    const { orders } = await stage.startProcess()
    await orders.place(given)
    await stage.waitForOrder(given, ({ state }) => state === 'generating')
    const fault = stage.playground.fault({ kind: 'dropAfter', method })

    await expectOneClip(stage, given)

    expect(fault.hits).toBe(1)
  },
)

test('a failure stored just before the process died is told by the next one, and reversed once', async () => {
  const stage = await createStage()
  const given = stage.command()
  const first = await stage.startProcess()
  await first.orders.place(given)
  await stage.waitForOrder(given, ({ state }) => state === 'generating')
  const held = stage.playground.fault({ kind: 'hold', method: 'sendMessage' })
  stage.service.fails(1, { code: 500, message: '' })
  await stage.playground.waitFor(() => held.hits === 1)

  await first.crash()
  await stage.startProcess()
  await stage.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  held.release()

  expect(await stage.charges()).toEqual([
    CHARGE,
    { kind: 'reversal', amountMicroRub: -40_000_000n, estimated: false },
  ])
  expect(stage.playground.transcript(USER_ID)[2]?.text).toBe(
    'The clip could not be made. ₽40.00 went back to you.',
  )
})

test('a process that stops leaves its orders to the next one', async () => {
  const stage = await createStage()
  const given = stage.command()
  const first = await stage.startProcess()
  await first.orders.place(given)
  await stage.waitForOrder(given, ({ state }) => state === 'generating')

  await first.stop()
  const { leaseOwner } = await stage.waitForOrder(given, () => true)
  await stage.startProcess()

  expect(leaseOwner).toBeNull()
  await expectOneClip(stage, given)
})

/** Lets the service finish, and the order end with one clip in the chat and one charge. */
async function expectOneClip(stage: Stage, given: ReturnType<Stage['command']>) {
  stage.service.succeeds(1)
  const order = await stage.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  expect(order.state).toBe('delivered')
  const clips = stage.playground.transcript(USER_ID).filter(({ video }) => video !== undefined)
  expect(clips).toHaveLength(1)
  expect(await stage.charges()).toEqual([CHARGE])
  return order
}
