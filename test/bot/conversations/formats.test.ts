import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReplyLayout } from '../../../src/bot/conversations/draft-layout.ts'
import type { Body } from '../../../src/bot/telegram/message.ts'
import { parseRichMarkdown } from '../../../src/playground/content/parse-markdown.ts'
import { plainTextOf } from '../../../src/playground/content/rich-text.ts'
import { cleanText } from '../../../src/playground/content/text.ts'
import { shareBot, type UserOfBot } from '../bot-setup.ts'
import { ended, turns, until } from './ended.ts'

const TABLE = '| a | b |\n|---|---|\n| 1 | $x^2$ |'
const ALWAYS = { times: Number.POSITIVE_INFINITY }
/** A message cannot begin with blanks if nothing is formatted: this line is in front of them. */
const GOES_ON = '…\n'

const addUser = shareBot()

function written({ playground, userId }: UserOfBot): string[] {
  return playground.calls
    .filter(({ method, chatId }) => chatId === userId && /^(send.*Message|edit)/.test(method))
    .map(({ method, status }) => `${method} ${status}`)
}

function messages({ playground, userId }: UserOfBot) {
  return playground.transcript(userId).filter(({ from }) => from === 'bot')
}

async function ask(user: UserOfBot, threadId?: number) {
  user.playground.userSends({
    userId: user.userId,
    text: '?',
    ...(threadId !== undefined && { threadId }),
  })
  return user.service.next()
}

test('an answer that begins as text and gets a table becomes rich in its message', async () => {
  const user = addUser()
  const completion = await ask(user)
  completion.delta('Some **words**.\n\n')
  await user.playground.waitFor(() => messages(user)[0]?.text === 'Some words.')
  const [first] = messages(user)
  completion.answer(TABLE)
  await ended(user, 1, user.userId)

  const markdown = 'Some **words**.\n\n| a | b |\n| --- | --- |\n| 1 | $x^2$ |'
  expect(messages(user)).toMatchObject([{ id: first?.id, rich: { markdown } }])
  expect(written(user)).toEqual(['sendMessage 200', 'editMessageText 200'])
})

test.each([
  [TABLE, 'a | b\n--+----\n1 | x^2'],
  ['<details>\n<summary>Solution</summary>\n\nAdd them.\n\n</details>', 'Solution\n\nAdd them.'],
])('a chat that chose plain text has every answer as text: %j', async (answer, text) => {
  const user = addUser()
  await user.database.prisma.chat.create({ data: { id: user.userId, format: 'plain' } })

  ;(await ask(user)).answer(answer)
  await ended(user, 1, user.userId)

  expect(messages(user).map((message) => [message.text, message.rich])).toEqual([[text, undefined]])
})

test('a reply whose rich messages are refused arrives whole as formatted text, and no log quotes it', async () => {
  const user = addUser()
  const { playground, userId } = user
  playground.fault({
    kind: 'refuseRich',
    // It quotes the text, as those of some parsers do.
    description: 'RICH_MESSAGE_INVALID: Unsupported start tag "Some bold" at byte offset 9',
    ...ALWAYS,
    when: ({ chat_id }) => chat_id === String(userId),
  })

  ;(await ask(user)).answer(`${TABLE}\n\n${'Some **bold** text. '.repeat(300)}`)
  await ended(user, 1, userId)

  const texts = user.textsIn(userId)
  expect(texts.join(' ').match(/Some bold text\./g)).toHaveLength(300)
  expect(texts.length).toBeGreaterThan(1)
  expect(messages(user)[1]?.entities[0]).toMatchObject({ type: 'bold' })
  expect(user.bot.logged()).toContain('formatting refused')
  expect(user.bot.logged()).not.toContain('Some bold')
})

test('a reply to a topic that was deleted costs one refused send, and arrives in the chat', async () => {
  const user = addUser()
  const threadId = user.playground.addTopic(user.userId, 'Cats')
  user.playground.fault({
    kind: 'refuse',
    status: 400,
    description: 'message thread not found',
    ...ALWAYS,
    when: (params) => params.message_thread_id === String(threadId),
  })

  const completion = await ask(user, threadId)
  completion.delta('One')
  await user.playground.waitFor(() => user.textsIn(user.userId)[0] === 'One')
  completion.answer(' **two**')
  await ended(user, 1, user.userId)

  expect(user.textsIn(user.userId)).toEqual(['One two'])
  expect(written(user)).toEqual(['sendMessage 400', 'sendMessage 200', 'editMessageText 200'])
})

test('an answer that Telegram refuses for an unknown reason is charged, and tried twice at most', async () => {
  const user = addUser()
  const { playground, userId } = user
  playground.fault({
    kind: 'refuse',
    status: 400,
    description: 'SOMETHING_NEW',
    ...ALWAYS,
    when: ({ chat_id }) => chat_id === String(userId),
  })

  const completion = await ask(user)
  completion.delta('One **two**')
  await playground.waitFor(() => written(user).length > 0)
  completion.answer(' three')
  await until(async () => (await turns(user, userId))[0]?.charge.length === 1)
  await until(async () => user.bot.logged().includes('turn abandoned'))

  const tried = playground.calls.filter(
    ({ chatId, params }) => chatId === userId && params.text?.includes('One'),
  )
  expect(tried).toHaveLength(2)
})

test('plain words below a reply mean nothing but themselves', () => {
  const notes = ['(It cost *about* <b>₽1</b>_)', '# Second']
  const layOut = createReplyLayout()

  const [rich] = layOut({ text: '**a', notes }, { formatting: 'rich', isInterim: false })
  const [text] = layOut({ text: '**a**', notes }, { formatting: 'entities', isInterim: false })

  expect(rich?.body).toEqual({
    markdown: '\\*\\*a\n\n(It cost \\*about\\* &lt;b>₽1&lt;/b>\\_)\n\n\\# Second',
  })
  expect(text?.body).toEqual({
    text: 'a\n\n(It cost *about* <b>₽1</b>_)\n\n# Second',
    entities: [{ type: 'bold', offset: 0, length: 1 }],
  })
})

const line = fc
  .record({
    depth: fc.integer({ min: 0, max: 4 }),
    words: fc.constantFrom('', 'return x', 'if a:', 'call(some, longer, arguments)', '# note'),
  })
  .map(({ depth, words }) => (words === '' ? '' : `${'    '.repeat(depth)}${words}`))

const code = fc
  .array(line, { minLength: 700, maxLength: 900, size: 'max' })
  .map((lines) => [...lines, 'end'].join('\n'))

test.each(['rich', 'entities', 'none'] as const)(
  'every line of code arrives as it was written, over several messages (%s)',
  (formatting) => {
    fc.assert(
      fc.property(code, (written) => {
        const text = `\`\`\`py\n${written}\n\`\`\``

        const parts = createReplyLayout()({ text }, { formatting, isInterim: false })

        expect(parts.length).toBeGreaterThan(1)
        expect(parts.map(({ body }) => toRead(body)).join('\n')).toBe(written)
      }),
      { numRuns: 10, endOnFailure: true },
    )
  },
)

function toRead(body: Body): string {
  if ('markdown' in body) return plainTextOf(parseRichMarkdown(body.markdown))
  const { text } = cleanText({ text: body.text, entities: body.entities ?? [] })
  return text.startsWith(GOES_ON) ? text.slice(GOES_ON.length) : text
}
