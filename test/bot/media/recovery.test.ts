import { expect, test } from 'vitest'
import { gated, json, lost } from './fake-service.ts'
import { CHARGE, createMediaSetup, expectOneVideo, USER_ID } from './media-setup.ts'

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

  const order = await expectOneVideo(setup, given)
  expect(order.taskId).toBe(1)
  expect(setup.service.creations).toHaveLength(2)
  expect(new Set(setup.service.creations.map(({ key }) => key)).size).toBe(1)
})

test.each([
  ['no answer', lost],
  ['nonsense', json(200, { hello: 'fox' })],
])(
  'without keys, a creation with %s is never repeated: reported, and charged as an estimate',
  async (_what, answer) => {
    const setup = await createMediaSetup()
    const given = setup.command()
    setup.service.creationAnswers.push(() => answer)
    const { orders } = await setup.startProcess()

    await orders.create(given)
    const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)

    expect(order).toMatchObject({ state: 'failed', errorCode: -1, taskId: null })
    expect(setup.service.creations).toHaveLength(1)
    expect(await setup.charges()).toEqual([{ ...CHARGE, estimated: true }])
    expect(setup.playground.transcript(USER_ID).at(-1)?.text).toContain(
      'in your spend as an estimate',
    )
  },
)

test('a crash while the service answers leaves an order that is not repeated, charged as an estimate', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const gate = gated(json(200, { task_id: 1 }))
  setup.service.creationAnswers.push(() => gate.answer)
  const first = await setup.startProcess()
  await first.orders.create(given)
  await setup.waitForOrder(given, ({ state }) => state === 'submitted')

  await first.crash()
  await setup.startProcess()
  await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  gate.open()

  expect(await setup.charges()).toEqual([{ ...CHARGE, estimated: true }])
  expect(setup.service.creations).toHaveLength(1)
})

test('a lost answer to the call that delivers leaves one video in the chat', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const { orders } = await setup.startProcess()
  await orders.create(given)
  await setup.waitForOrder(given, ({ state }) => state === 'generating')
  const fault = setup.playground.fault({ kind: 'dropAfter', method: 'editMessageMedia' })

  await expectOneVideo(setup, given)

  expect(fault.hits).toBe(1)
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
  await expectOneVideo(setup, given)
})
