import { expect, test } from 'vitest'
import { beginConversation, conversationOf } from '../../../src/bot/conversations/conversations.ts'
import { addCharge } from '../spend/add-charge.ts'
import { addTurn, buttonsOf, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

async function setUpChats(questions: readonly string[]) {
  const setup = await setUp()
  const userId = await setup.send('hello')
  const thread = { chatId: userId, threadId: 0 }
  const ids: bigint[] = []
  for (const [index, prompt] of questions.entries()) {
    if (index > 0) await beginConversation(database, thread)
    ids.push(await addTurn(userId, { prompt, answer: `Answer to ${prompt}` }))
  }
  const shown = () => setup.playground.transcript(userId).at(-1)
  return { ...setup, userId, thread, ids, shown }
}

test('/chats lists conversations by their first words, with cost and date, and goes back to one', async () => {
  const { send, press, shown, userId, ids, thread } = await setUpChats([
    'How do I open port 80?',
    'A cake\nfor four',
  ])
  const turn = await database.prisma.turn.findFirstOrThrow({
    where: { conversationId: ids[0] ?? 0n },
  })
  await addCharge(database.prisma, { userId, amountMicroRub: 2_000_000n, turnId: turn.id })

  await send('/chats', { userId })

  expect(shown()?.text).toContain(
    '1. A cake for four\n₽0.00 · 21 Nov 2026, 13:00 · you are here\n\n' +
      '2. How do I open port 80?\n₽2.00 · 21 Nov 2026, 13:00',
  )
  expect(buttonsOf(shown())).toEqual([['1. A cake for four'], ['2. How do I open port 80?']])

  await press(userId, '2. How do I open port 80?')

  expect(await conversationOf(database, thread)).toMatchObject({ id: ids[0] })
  expect(shown()?.text).toContain('“How do I open port 80?”')
  await press(userId, '« All conversations')
  expect(shown()?.text).toMatch(/2\. How do I open port 80\?.*you are here/s)
})

test('/chats with words finds the conversations that have all of them, in any case', async () => {
  const { send, shown, userId, answerTo } = await setUpChats(['Где растёт ЁЛКА?', 'Ель и сосна'])

  await send('/chats елка answer', { userId })
  expect(buttonsOf(shown())).toEqual([['1. Где растёт ЁЛКА?']])
  await send('/chats растет', { userId })
  expect(buttonsOf(shown())).toEqual([['1. Где растёт ЁЛКА?']])
  await send('/chats 100%', { userId })

  expect(await answerTo(userId)).toContain('Nothing found for “100%”')
})

test('a conversation of another chat is neither found nor entered', async () => {
  const { send, press, api, answerTo, userId, thread } = await setUpChats(['Mine'])
  const own = await conversationOf(database, thread)
  const stranger = await send('hello')
  const foreign = await addTurn(stranger, { prompt: 'Secret', answer: 'Safe' })

  await send('/chats secret', { userId })
  expect(await answerTo(userId)).toContain('Nothing found')
  const callback_data = `chat:${foreign}`
  const reply_markup = { inline_keyboard: [[{ text: callback_data, callback_data }]] }
  await api.sendMessage(userId, 'Forged', { reply_markup })
  expect((await press(userId, callback_data))?.answer?.text).toBe(
    'This conversation no longer exists.',
  )

  expect(await conversationOf(database, thread)).toMatchObject({ id: own.id })
})

test('/new shows the way back, and its button is one', async () => {
  const { send, press, playground } = await setUp()
  const userId = await send('hello')
  const id = await addTurn(userId, { prompt: 'How do I open port 80?', answer: 'So.' })
  const shown = () => playground.transcript(userId).at(-1)

  await send('/new', { userId })
  expect(shown()?.text).toContain('New conversation. “How do I open port 80?” is kept.')
  expect(buttonsOf(shown())).toEqual([['« Back to “How do I open port 80?”']])
  await press(userId, '« Back to “How do I open port 80?”')

  expect(shown()?.text).toContain('You are back in “How do I open port 80?”')
  expect(await conversationOf(database, { chatId: userId, threadId: 0 })).toMatchObject({ id })
})
