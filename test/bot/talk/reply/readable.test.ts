import { expect, test } from 'vitest'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { ended, turns } from '../turns/ended.ts'
import { labels, press } from './buttons.ts'

const GROUP = -5
const TABLE = '| a | b |\n|---|---|\n| 1 | $x^2$ |'
const PLAIN_TABLE = 'a | b\n--+---\n1 | x²'
const OFFER = 'Can’t read this?'
const KEEP = 'Always plain text'

function messagesIn({ playground }: BotSetup, chatId = ANNA) {
  const ofBot = playground.transcript(chatId).filter(({ from }) => from === 'bot')
  return ofBot.map(({ id, text, rich }) => ({ id, text, markdown: rich?.markdown }))
}

async function ask(setup: BotSetup, answer: string, count: number, userId = ANNA): Promise<void> {
  setup.playground.userSends({ userId, text: '?' })
  const completion = await setup.service.next()
  completion.answer(answer)
  await ended(setup, count)
}

test('an answer that begins as text and gets a table becomes rich in its message', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Some **words**.\n\n')
  await setup.playground.waitFor(() => messagesIn(setup)[0]?.text === 'Some words.')
  const [first] = messagesIn(setup)
  completion.answer(TABLE)
  await ended(setup)

  expect(messagesIn(setup)).toEqual([
    {
      id: first?.id,
      text: expect.anything(),
      markdown: 'Some **words**.\n\n| a | b |\n| --- | --- |\n| 1 | $x^2$ |',
    },
  ])
  const written = setup.playground.calls.filter(({ method }) =>
    /^(send.*Message|edit)/.test(method),
  )
  expect(written.map(({ method, params }) => [method, params.rich_message !== undefined])).toEqual([
    ['sendMessage', false],
    ['editMessageText', true],
  ])
})

test('an answer that folds something becomes rich in its message, and as plain text has it below its summary', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Try it.\n\n')
  await setup.playground.waitFor(() => messagesIn(setup)[0]?.text === 'Try it.')
  const [first] = messagesIn(setup)
  completion.delta('<details>\n<summary>Solution</summary>\n\nAdd ')
  await setup.playground.waitFor(() => messagesIn(setup)[0]?.markdown?.includes('Add'))
  completion.answer('them.\n\n</details>')
  await ended(setup)

  const written = 'Try it.\n\n<details><summary>Solution</summary>\n\nAdd them.\n\n</details>'
  expect(messagesIn(setup)).toMatchObject([{ id: first?.id, markdown: written }])
  await press(setup, OFFER)
  await setup.playground.waitFor(() => labels(setup, ANNA)[0]?.[0] === KEEP)
  expect(messagesIn(setup)).toEqual([
    { id: first?.id, text: 'Try it.\n\nSolution\n\nAdd them.', markdown: undefined },
  ])
})

test('below the first rich answer of a chat plain text is offered, and makes it that in its place, once or for all', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await ask(setup, 'Prose.', 1)
  expect(labels(setup, ANNA)).toEqual([])
  await ask(setup, TABLE, 2)
  expect(labels(setup, ANNA)).toEqual([[OFFER]])
  const shown = messagesIn(setup)[1]
  expect(shown?.markdown).toContain('$x^2$')

  await press(setup, OFFER)
  await setup.playground.waitFor(() => labels(setup, ANNA)[0]?.[0] === KEEP)

  expect(messagesIn(setup)[1]).toEqual({ id: shown?.id, text: PLAIN_TABLE, markdown: undefined })
  expect(await press(setup, KEEP)).toBe(
    'Answers here are plain text from now on. To change it: /format',
  )
  await ask(setup, TABLE, 3)

  expect(messagesIn(setup)[2]).toMatchObject({ text: PLAIN_TABLE, markdown: undefined })
  expect(labels(setup, ANNA)).toEqual([])
  expect(setup.playground.calls.filter(({ body }) => body?.ok === false)).toEqual([])
})

test('a second rich answer has no such offer, nor has one of a chat that wants them rich', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await ask(setup, TABLE, 1)
  await ask(setup, TABLE, 2)
  await setup.database.prisma.chat.create({ data: { id: BORIS, format: 'rich' } })
  await ask(setup, 'Prose.', 3, BORIS)

  const last = setup.playground.transcript(ANNA).at(-1)
  expect(JSON.stringify(last?.replyMarkup ?? '')).not.toContain(OFFER)
  expect(messagesIn(setup, BORIS)).toMatchObject([{ markdown: 'Prose.' }])
  expect(labels(setup, BORIS)).toEqual([])
})

test('an answer that was longer than a text may be goes on in further messages as plain text', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  const prose = `${'Some words of prose. '.repeat(40).trim()}\n\n`
  await ask(setup, `${TABLE}\n\n${prose.repeat(6)}The end.`, 1)
  expect(messagesIn(setup)).toHaveLength(1)

  await press(setup, OFFER)
  await setup.playground.waitFor(() => labels(setup, ANNA)[0]?.[0] === KEEP)
  await ended(setup)

  const texts = messagesIn(setup).map(({ text }) => text ?? '')
  expect(texts).toHaveLength(2)
  expect(texts[0]?.startsWith(PLAIN_TABLE)).toBe(true)
  expect(texts.join('').match(/words of prose/g)).toHaveLength(240)
  expect(texts[1]?.endsWith('The end.')).toBe(true)
  expect((await turns(setup))[0]?.messageIds).toEqual(messagesIn(setup).map(({ id }) => id))
})

test('the press is carried out once, also where a crash met it in the middle, and only for who asked', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  await ask(setup, TABLE, 1)
  const held = setup.playground.fault({ kind: 'hold', method: 'editMessageText' })
  await press(setup, OFFER)
  await setup.playground.waitFor(() => held.hits === 1)
  await bot.kill()
  held.end()

  await setup.startBot()
  await ended(setup)

  expect(messagesIn(setup)).toMatchObject([{ text: PLAIN_TABLE, markdown: undefined }])
  expect(labels(setup, ANNA)).toEqual([[KEEP]])
})

test('in a group the answers of the group change, for who asked and admins', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  setup.playground.userSends({ userId: ANNA, chatId: GROUP, text: '@kopeck_playground_bot ?' })
  const completion = await setup.service.next()
  completion.answer(TABLE)
  await ended(setup)

  expect(await press(setup, OFFER, { userId: BORIS, chatId: GROUP })).toContain('тот, кто спросил')
  expect(messagesIn(setup, GROUP)[0]?.markdown).toContain('$x^2$')
  await press(setup, OFFER, { userId: ANNA, chatId: GROUP })
  await press(setup, KEEP, { userId: ANNA, chatId: GROUP })

  expect(await setup.database.prisma.chat.findMany({ select: { id: true, format: true } })).toEqual(
    [{ id: BigInt(GROUP), format: 'plain' }],
  )
})

test('an answer in a right-to-left script says so as a rich message', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await ask(setup, `שלום\n\n${TABLE}\n\nסוף`, 1)
  await ask(setup, `Hello שלום\n\n${TABLE}`, 2)

  const rtls = setup.playground.calls
    .filter(({ method }) => method === 'sendRichMessage')
    .map(({ params }) => JSON.parse(params.rich_message ?? '{}').is_rtl)
  expect(rtls).toEqual([true, undefined])
})
