import { expect, test } from 'vitest'
import { gated, json } from '../../../bot/media/fake-service.ts'
import {
  CHARGE,
  createMediaSetup,
  expectOneClip,
  USER_ID,
  waitFor,
} from '../../../bot/media/media-setup.ts'

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

test('with keys honoured, a crash while the service answers leaves an order that the next process creates again', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  setup.service.honoursKeys()
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
  await setup.waitForOrder(given, ({ state }) => state === 'generating')
  open()

  await expectOneClip(setup, given)
  expect(setup.service.creations).toHaveLength(2)
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
