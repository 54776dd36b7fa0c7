import { expect, test } from 'vitest'
import { checkSums } from '../../../src/bot/spend/sums.ts'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { labels } from './buttons.ts'
import { ended, turns, until } from './ended.ts'
import { refuseTurnChanges } from './refusing-database.ts'

/** "Hello?" as a prompt, and "Half an answer", at 150 and 600 roubles for a million tokens. */
const SHOWN = 9n * 150n + 3n * 600n

test('a message whose answer had not begun to show is answered after a crash', async () => {
  const { setup, bot } = await askBot('Hello?')
  await bot.kill()

  await setup.startBot()
  const again = await setup.service.next()
  again.answer('Hello!')
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Hello!'])
  const hidden = { kind: 'answer', request: 1, estimated: true }
  expect(await turns(setup)).toMatchObject([
    {
      state: 'finished',
      charge: [
        { ...hidden, amountMicroRub: 0n, writtenOffMicroRub: 601_800n },
        { kind: 'answer', request: 2, amountMicroRub: 500_000n, estimated: false },
      ],
    },
  ])
})

test('a message that was being sent during a crash is sent again below a line that says so, and never twice without one', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  // Telegram has taken the message, and its answer does not come back any more.
  const held = setup.playground.fault({ kind: 'holdAfter', method: 'sendMessage' })
  completion.delta('Hel')
  await setup.playground.waitFor(() => held.hits === 1)
  await bot.kill()

  await setup.startBot()
  const again = await setup.service.next()
  again.answer('Hello!')
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual([
    'Hel',
    expect.stringMatching(/^\(The connection broke.*stand above\.\)\s+Hello!$/),
  ])
  expect(await turns(setup)).toMatchObject([{ state: 'finished', sendingSince: null }])
})

test('a message that was only stored is answered after a crash', async () => {
  const setup = await createBotSetup()
  const first = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  await setup.service.next()
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await untilStored(setup, 2)
  await first.kill()

  setup.service.onCompletion((completion) => {
    completion.answer(`Answer to ${completion.prompt}`)
  })
  await setup.startBot()
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual(['Answer to one', 'Answer to two'])
})

test('an answer cut short by a crash is left as it is, and its user pays for what it shows', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  completion.delta('Half an answer')
  await untilRecorded(setup, 'Half an answer')
  await bot.kill()

  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual([
    'Half an answer',
    expect.stringMatching(/^\(I was restarted.*You pay for what you see: <₽0\.01\.$/),
  ])
  expect(setup.service.completions).toHaveLength(1)
  expect(await turns(setup)).toMatchObject([
    {
      state: 'interrupted',
      messages: [{ content: 'Hello?' }, { content: 'Half an answer', costMicroRub: SHOWN }],
      charge: [
        {
          estimated: true,
          amountMicroRub: SHOWN,
          writtenOffMicroRub: 601_800n - SHOWN,
          request: 1,
        },
      ],
    },
  ])
  expect(await checkSums(setup.database.prisma)).toMatchObject({
    estimatedMicroRub: SHOWN,
    writtenOffMicroRub: 601_800n - SHOWN,
    differences: [],
  })
})

test('an answer whose chat shows more than is stored keeps its text after a crash, and a reply explains', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  completion.delta('Half')
  await untilRecorded(setup, 'Half')
  await refuseTurnChanges(setup, { change: 'UPDATE OF shown_text', when: 'true' })
  completion.delta(' an answer')
  await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'Half an answer')
  await until(async () => bot.logged().includes('reply not recorded'))
  await bot.kill()
  await setup.database.pool.query('DROP TRIGGER refuse_changes ON bot.turn')

  await setup.startBot()
  await ended(setup)

  const [answer, explained] = setup.playground.transcript(ANNA).filter(({ from }) => from === 'bot')
  expect(setup.textsIn(ANNA)).toEqual([
    'Half an answer',
    expect.stringMatching(/^\(I was restarted/),
  ])
  expect(answer?.replyMarkup).toBeUndefined()
  expect(explained?.replyToMessageId).toBe(answer?.id)
  const [turn] = await turns(setup)
  expect(turn).toMatchObject({ state: 'interrupted', messageIds: [answer?.id, explained?.id] })
  expect(labels(setup, ANNA)).toEqual([['Retry']])
})

test('an answer cut short by a crash costs at most what was recorded as it was asked, whatever its model costs by then', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  completion.delta('Half an answer')
  await untilRecorded(setup, 'Half an answer')
  await bot.kill()
  // As with prices that were a thousandth.
  await setup.database.prisma.turn.updateMany({ data: { requestMicroRub: 601n } })

  await setup.startBot()
  await ended(setup)

  expect(await turns(setup)).toMatchObject([
    { state: 'interrupted', charge: [{ amountMicroRub: 601n, writtenOffMicroRub: 0n }] },
  ])
})

test('an answer that had ended but was not shown whole is shown after a crash, and charged once', async () => {
  const { setup, bot, completion } = await askBot('Hello?')
  completion.delta('Begin')
  await untilRecorded(setup, 'Begin')
  const held = setup.playground.fault({ kind: 'hold', method: 'editMessageText' })
  completion.answer('ning and end.')
  await until(async () => (await turns(setup))[0]?.state === 'finished')
  await setup.playground.waitFor(() => held.hits === 1)
  await bot.kill()

  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Beginning and end.'])
  expect(await turns(setup)).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
})

test('a failure that was not reported is reported after a crash', async () => {
  const setup = await createBotSetup()
  const first = await setup.startBot()
  const held = setup.playground.fault({ kind: 'hold', method: 'sendMessage' })
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await setup.service.next()
  completion.refuse(402)
  await setup.playground.waitFor(() => held.hits === 1)
  await first.kill()

  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual([
    expect.stringMatching(/too little money.*Nothing was charged/),
  ])
})

test('an answer whose end the database did not take is recorded once it does', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  const takeChanges = await refuseTurnChanges(setup)
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await setup.service.next()
  completion.answer('Hello!')
  await until(async () => bot.logged().includes('end of a turn not stored yet'))

  await takeChanges()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Hello!'])
  expect(await turns(setup)).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
})

test('a message whose turn the database did not take is answered once it does', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  const takeTurns = await refuseTurnChanges(setup, { change: 'INSERT' })
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  await until(async () => bot.logged().includes('update not handled yet'))

  await takeTurns()
  const completion = await setup.service.next()
  completion.answer('Hello!')
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual(['Hello!'])
  expect(await turns(setup)).toMatchObject([{ state: 'finished' }])
})

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
  expect(await turns(setup)).toMatchObject([{ state: 'streaming', leaseOwner: null }])
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

/** A bot that was asked something, and its request for the answer. */
async function askBot(text: string) {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text })
  return { setup, bot, completion: await setup.service.next() }
}

/** Until it is stored that the chat shows this. */
function untilRecorded(setup: BotSetup, shownText: string): Promise<void> {
  return until(async () => (await turns(setup))[0]?.shownText === shownText)
}

/** Until so many updates are stored. */
function untilStored({ database }: BotSetup, count: number): Promise<void> {
  return until(async () => (await database.prisma.update.count()) === count)
}
