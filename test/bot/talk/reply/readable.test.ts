import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { ended } from '../turns/ended.ts'

const TABLE = '| a | b |\n|---|---|\n| 1 | $x^2$ |'
const PLAIN_TABLE = 'a | b\n--+----\n1 | x^2'

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

test('an answer that folds something becomes rich in its message', async () => {
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
})

test.each([
  [TABLE, PLAIN_TABLE],
  ['<details>\n<summary>Solution</summary>\n\nAdd them.\n\n</details>', 'Solution\n\nAdd them.'],
])('a chat that chose plain text has every answer as text: %j', async (answer, text) => {
  const setup = await createBotSetup()
  await setup.startBot()
  await setup.database.prisma.chat.create({ data: { id: ANNA, format: 'plain' } })

  await ask(setup, answer, 1)

  expect(messagesIn(setup)).toMatchObject([{ text, markdown: undefined }])
})

test('a chat that chose rich messages has prose in one, too', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await setup.database.prisma.chat.create({ data: { id: ANNA, format: 'rich' } })

  await ask(setup, 'Prose.', 1)

  expect(messagesIn(setup)).toMatchObject([{ markdown: 'Prose.' }])
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
