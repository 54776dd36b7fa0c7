import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { labels, press } from './buttons.ts'
import { ended, turns, until } from './ended.ts'
import { refuseTurnChanges } from './refusing-database.ts'

/** "one" as a prompt, and "Half", at 150 and 600 roubles for a million tokens; the rest was held for as long an answer as any. */
const HALF = { estimated: true, amountMicroRub: 8n * 150n + 600n, writtenOffMicroRub: 599_700n }

test('/stop ends the message at once; the exact cost comes when the stream has run dry', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await setup.service.next()
  completion.delta('Once upon')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Once upon'))

  setup.playground.userSends({ userId: ANNA, text: '/stop' })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Once upon\n\n(Stopped.)'))
  await until(async () => (await turns(setup))[0]?.endedAt !== null)
  expect((await turns(setup))[0]?.charge).toEqual([])
  expect(completion.isOpen()).toBe(true)
  completion.delta(' a time')
  completion.finish({ costRub: 0.25 })
  await ended(setup)

  expect(setup.textsIn(ANNA)).toContain(
    'Once upon\n\n(Stopped. The whole answer is charged: ₽0.25.)',
  )
  expect(labels(setup, ANNA)).toEqual([['Retry']])
  expect(await turns(setup)).toMatchObject([
    {
      state: 'stopped',
      messages: [{ content: 'A long story' }, { content: 'Once upon', costMicroRub: 250_000n }],
      charge: [{ amountMicroRub: 250_000n, estimated: false }],
    },
  ])
})

test('the next message is answered while a stopped stream runs dry, with the text that was shown', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await setup.service.next()
  one.delta('Half')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Half'))
  setup.playground.userSends({ userId: ANNA, text: '/stop' })
  setup.playground.userSends({ userId: ANNA, text: 'two' })

  const two = await setup.service.next()
  two.answer('Two.')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Two.'))
  one.answer(' and the rest')
  await ended(setup, 2)

  expect(two.request.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Half' },
    { role: 'user', content: 'two' },
  ])
})

test('/stop before the first word says so and leaves no answer in the history', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await setup.service.next()

  setup.playground.userSends({ userId: ANNA, text: '/stop' })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('(Stopped.)'))
  one.finish()
  await ended(setup)

  expect(await turns(setup)).toMatchObject([{ state: 'stopped', messages: [{ content: 'one' }] }])
})

test('a stream that breaks after /stop costs what was shown', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await setup.service.next()
  one.delta('Half')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Half'))

  setup.playground.userSends({ userId: ANNA, text: '/stop' })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Half\n\n(Stopped.)'))
  one.delta(' and much that nobody sees')
  one.cut()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toContainEqual(
    expect.stringMatching(/^Half\n\n\(Stopped\. You pay for what you see: <₽0\.01\.\)$/),
  )
  expect((await turns(setup))[0]?.charge).toMatchObject([HALF])
})

test('a crash while a stopped stream runs dry costs what was shown, once, and its message says so', async () => {
  const setup = await createBotSetup()
  const first = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await setup.service.next()
  one.delta('Half')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Half'))
  setup.playground.userSends({ userId: ANNA, text: '/stop' })
  await until(async () => Boolean((await turns(setup))[0]?.endedAt))
  await first.kill()

  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toContain('Half\n\n(Stopped. You pay for what you see: <₽0.01.)')
  expect(labels(setup, ANNA)).toEqual([['Retry']])
  expect((await turns(setup))[0]?.charge).toMatchObject([HALF])
})

test('a stop reaches a turn that a process finishes which is not the active one any more', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await setup.service.next()
  completion.delta('Once upon')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Once upon'))

  // As the active process does.
  const stopped = bot.stop(10_000)
  await setup.database.prisma.turn.updateMany({ data: { stopRequestedAt: new Date() } })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Once upon\n\n(Stopped.)'))
  completion.finish()
  await ended(setup)
  await stopped

  expect((await turns(setup))[0]).toMatchObject({
    state: 'stopped',
    charge: [{ estimated: false }],
  })
})

test.each(['Stop', '/stop'])('%s ends a turn that something unexpected left', async (how) => {
  const setup = await createBotSetup()
  await setup.startBot()
  await leaveTurn(setup, 'Half')

  if (how === 'Stop') await press(setup, how)
  else setup.playground.userSends({ userId: ANNA, text: how })
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(
    expect.arrayContaining([
      'Half',
      expect.stringMatching(/^\(Stopped\. You pay for what you see/),
    ]),
  )
  expect(await turns(setup)).toMatchObject([{ state: 'stopped', charge: [{ estimated: true }] }])
})

async function leaveTurn(setup: BotSetup, shownText: string): Promise<void> {
  const takeChanges = await refuseTurnChanges(setup, { code: 'P0001' })
  setup.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await setup.service.next()
  completion.delta(shownText)
  await until(async () => (await turns(setup))[0]?.shownText === shownText)
  completion.finish()
  await setup.playground.waitFor(() =>
    setup.textsIn(ANNA).some((text = '') => text.startsWith('Something went wrong')),
  )
  await takeChanges()
}
