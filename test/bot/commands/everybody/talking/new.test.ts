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
