import { expect, test } from 'vitest'
import { addTurn, buttonsOf, setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test('/new shows the way back, and its button is one', async () => {
  const { send, press, playground, conversations } = await setUp()
  const userId = await send('hello')
  const id = await addTurn(userId, { prompt: 'How do I open port 80?', answer: 'So.' })
  const shown = () => playground.transcript(userId).at(-1)

  await send('/new', { userId })
  expect(shown()?.text).toContain('New conversation. “How do I open port 80?” is kept.')
  expect(buttonsOf(shown())).toEqual([['« Back to “How do I open port 80?”']])
  await press(userId, '« Back to “How do I open port 80?”')

  expect(shown()?.text).toContain('You are back in “How do I open port 80?”')
  expect(await conversations.current({ chatId: userId, threadId: 0 })).toMatchObject({ id })
})

test('/new after a conversation without a question has nothing to go back to', async () => {
  const { send, playground } = await setUp()
  const userId = await send('/new')

  await send('/new', { userId })

  expect(playground.transcript(userId).at(-1)?.replyMarkup).toBeUndefined()
})

test('where a chat has topics, /new and /chats explain that each has conversations of its own', async () => {
  const { send, answerTo, playground, handleAll } = await setUp()
  const userId = await send('hello')
  const chatId = -1_001_000_000_042
  playground.addGroup({ id: chatId, title: 'Club', members: [userId], isForum: true })
  await addTurn(userId, { prompt: 'Hi', answer: 'Hello', chatId })

  for (const text of ['/new', '/chats']) {
    playground.userSends({ userId, chatId, text })
    await handleAll()
    expect(await answerTo(chatId)).toContain('Each topic here has its own conversations.')
  }

  expect(await answerTo(await send('/new', { userId }))).not.toContain('topic')
})
