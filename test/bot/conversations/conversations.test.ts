import { expect, onTestFinished, test } from 'vitest'
import { toFileName } from '../../../src/bot/commands/export.ts'
import { toSearchPatterns } from '../../../src/bot/conversations/conversation-list.ts'
import { conversationOf, enterConversation } from '../../../src/bot/conversations/conversations.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { press } from './buttons.ts'
import { ended } from './ended.ts'

const PLACE = { chatId: 101, threadId: 0 }

interface ExportedMessage {
  role: string
  content: string
  set_aside: boolean
}

test('a conversation is entered only in its own topic', async () => {
  const database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  const topic = await conversationOf(database, { ...PLACE, threadId: 7 })
  const own = await conversationOf(database, PLACE)

  expect(await enterConversation(database, PLACE, topic.id)).toBe(false)

  expect(await conversationOf(database, PLACE)).toMatchObject({ id: own.id })
})

test('a word is looked for in any case, in a database of any locale', () => {
  expect(toSearchPatterns('Ёлка 2x')).toEqual(['[ЕеЁё][лЛ][кК][аА]', '2[xX]'])
})

test('signs mean themselves', () => {
  expect(toSearchPatterns('c++ (?i) ***= ß漢')).toEqual([
    '[cC]\\+\\+',
    '\\(\\?[iI]\\)',
    '\\*\\*\\*\\=',
    'ß漢',
  ])
})

test.each([
  ['Как открыть порт 80?', 'Как открыть порт 80 2026-11-21.md'],
  ['..\\..//etc/passwd', 'etc passwd 2026-11-21.md'],
  ['a\u202egnp.exe\n', 'a gnp.exe 2026-11-21.md'],
  ['???', '2026-11-21.md'],
])('a file named after "%s" has a name that every file system takes', (title, expected) => {
  expect(toFileName(title, { day: '2026-11-21', extension: 'md' })).toBe(expected)
})

test('an answer that runs, and a question that waits, stay in their conversation when another is entered', async () => {
  const setup = await createBotSetup()
  const { playground, service, textsIn, database } = setup
  await setup.startBot()
  playground.userSends({ userId: ANNA, text: 'First' })
  const first = await service.next()
  first.answer('One')
  await playground.waitFor(() => textsIn(ANNA).includes('One'))
  await say(setup, '/new')
  playground.userSends({ userId: ANNA, text: 'Second' })
  const running = await service.next()
  running.delta('Two')
  await playground.waitFor(() => textsIn(ANNA).includes('Two'))
  playground.userSends({ userId: ANNA, text: 'Third' })
  await expect.poll(() => database.prisma.turn.count()).toBe(3)

  await say(setup, '/chats')
  await press(setup, '2. First')
  playground.userSends({ userId: ANNA, text: 'Fourth' })
  await expect.poll(() => database.prisma.turn.count()).toBe(4)
  running.finish()
  const third = await service.next()
  third.answer('Three')
  const fourth = await service.next()
  fourth.answer('Four')
  await playground.waitFor(() => textsIn(ANNA).includes('Four'))

  expect(wordsOf(third)).toEqual(['Second', 'Two', 'Third'])
  expect(wordsOf(fourth)).toEqual(['First', 'One', 'Fourth'])
})

test('a topic of a private chat that was opened without a name is named by its first words', async () => {
  const { ask, nameOf } = await setUpTopic()

  await ask('How do I open port 80?')
  expect(nameOf()).toBe('How do I open port 80?')
  await ask('And port 443?')

  expect(nameOf()).toBe('How do I open port 80?')
})

test('a topic keeps the name that its user gave it, at once or before the first question', async () => {
  const named = await setUpTopic('Servers')
  const renamed = await setUpTopic()
  renamed.playground.renamesTopic(ANNA, renamed.threadId, 'Ports')

  await named.ask('How do I open port 80?')
  await renamed.ask('How do I open port 80?')

  expect([named.nameOf(), renamed.nameOf()]).toEqual(['Servers', 'Ports'])
})

test('each answer that was made again is exported below its question, with a mark on all that counts no longer', async () => {
  const setup = await startAsked()
  setup.playground.userSends({ userId: ANNA, text: '/retry' })
  ;(await setup.service.next()).refuse(502)
  await ended(setup, 2)
  await press(setup, 'Retry')
  ;(await setup.service.next()).answer('Two')
  await ended(setup, 3)

  expect(await exported(setup)).toEqual([
    { role: 'user', content: 'Hello?', set_aside: true },
    { role: 'assistant', content: 'One', set_aside: true },
    { role: 'user', content: 'Hello?', set_aside: false },
    { role: 'assistant', content: 'Two', set_aside: false },
  ])
})

async function say({ playground, textsIn }: BotSetup, text: string): Promise<void> {
  const before = textsIn(ANNA).length
  playground.userSends({ userId: ANNA, text })
  await playground.waitFor(() => textsIn(ANNA).length > before)
}

function wordsOf({ request }: { request: { messages: { content: string }[] } }): string[] {
  return request.messages.map(({ content }) => content)
}

async function setUpTopic(name?: string) {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.service.onCompletion((completion) => completion.answer(`Answer to ${completion.prompt}`))
  const threadId = setup.playground.addTopic(ANNA, name)
  return { ...setup, threadId, nameOf: () => setup.playground.topicName(ANNA, threadId), ask }

  async function ask(text: string): Promise<void> {
    setup.playground.userSends({ userId: ANNA, threadId, text })
    const answer = `Answer to ${text}`
    await setup.playground.waitFor(() => setup.textsIn(ANNA).includes(answer))
    const unhandled = { where: { handledAt: null } }
    await expect.poll(() => setup.database.prisma.update.count(unhandled)).toBe(0)
  }
}

async function startAsked(): Promise<BotSetup> {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  ;(await setup.service.next()).answer('One')
  await ended(setup)
  return setup
}

async function exported({ playground }: BotSetup): Promise<ExportedMessage[]> {
  playground.userSends({ userId: ANNA, text: '/export json' })
  const bytes = await playground.waitFor((it) => it.transcript(ANNA).at(-1)?.document?.bytes)
  const { messages } = JSON.parse(bytes.toString()) as { messages: ExportedMessage[] }
  return messages.map(({ role, content, set_aside }) => ({ role, content, set_aside }))
}
