import { expect, test } from 'vitest'
import { ANNA, createBotSetup } from '../../bot-setup.ts'
import { ended, turns } from '../turns/ended.ts'
import { askBot, untilRecorded, untilStored } from './asked-bot.ts'

test('stop() begins no further turn: a waiting message is answered by the next run', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await setup.service.next()
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await untilStored(setup, 2)

  const stopping = bot.stop(10_000)
  one.answer('One.')
  await stopping
  expect(setup.service.completions).toHaveLength(1)
  await setup.startBot()
  const two = await setup.service.next()
  two.answer('Two.')
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual(['One.', 'Two.'])
})

test('stop() aborts an answer that takes too long; the next run ends it', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  completion.delta('Endless')
  await untilRecorded(setup, 'Endless')

  await bot.stop(0)
  expect(await setup.database.prisma.update.count({ where: { handledAt: null } })).toBe(1)
  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Endless', expect.stringMatching(/^\(I was restarted/)])
})

test('an answer that a stop cuts short keeps all that its chat shows', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  completion.delta('Half')
  await untilRecorded(setup, 'Half')
  completion.delta(' an answer')
  await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'Half an answer')
  // Nothing else goes to the chat before the answer to that edit is there.
  setup.playground.userSends({ userId: ANNA, text: '/help' })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  await bot.stop(0)

  expect((await turns(setup))[0]?.shownText).toBe('Half an answer')
})

test('stop() hears out a message that is being sent, so that it is not sent twice', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  const held = setup.playground.fault({ kind: 'holdAfter', method: 'sendMessage' })
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await setup.service.next()
  completion.delta('Half')
  await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'Half')

  const stopping = bot.stop(0)
  held.release()
  await stopping
  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Half', expect.stringMatching(/^\(I was restarted/)])
})
