import { expect, test } from 'vitest'
import { beginConversation, conversationOf } from '../../../src/bot/conversations/conversations.ts'
import { buttonsOf, database, MODELS, setUp, useCommands } from './commands-setup.ts'

useCommands()

test('/model shows what a message costs and marks the one that answers; a press changes it', async () => {
  const { send, press, playground } = await setUp()
  const userId = await send('/model')
  const [, list] = playground.transcript(userId)
  // 50 tokens at 150 and 300 at 600 roubles a million.
  expect(list?.text).toContain(
    'alpha-large · ≈\u00a0₽0.19 a message\nalpha-small · <₽0.01 a message',
  )
  expect(list?.text).toContain('for a short question with its answer')
  expect(buttonsOf(list)).toEqual([['✓ alpha-large'], ['alpha-small']])

  const pressed = await press(userId, 'alpha-small')

  expect((await conversationOf(database, { chatId: userId, threadId: 0 })).model).toBe(
    'alpha-small',
  )
  expect(pressed?.answer?.text).toBe('From the next message on, alpha-small answers.')
  const [, changed] = playground.transcript(userId)
  expect(buttonsOf(changed)).toEqual([['alpha-large'], ['✓ alpha-small']])
})

test('/model takes a name, or a part that no other name has', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('/model SMALL')
  const chosen = async () => (await conversationOf(database, { chatId: userId, threadId: 0 })).model

  expect(await answerTo(userId)).toBe('From the next message on, alpha-small answers.')
  expect(await chosen()).toBe('alpha-small')
  await send('/model alpha-large', { userId })
  expect(await chosen()).toBe('alpha-large')
})

test.each(['alpha', 'gamma'])(
  '/model %s means no single model, and shows the list',
  async (typed) => {
    const { send, playground } = await setUp()

    const userId = await send(`/model ${typed}`)

    const [, list] = playground.transcript(userId)
    expect(list?.text).toContain(`“${typed}”`)
    expect(buttonsOf(list)).toEqual([['✓ alpha-large'], ['alpha-small']])
    expect((await conversationOf(database, { chatId: userId, threadId: 0 })).model).toBeNull()
  },
)

test('a model that went away is shown to be gone, and the list is fresh', async () => {
  const models = [...MODELS]
  const { send, press, playground } = await setUp({ models })
  const userId = await send('/model')
  models.pop()

  const pressed = await press(userId, 'alpha-small')

  expect(pressed?.answer?.text).toContain('no longer available')
  expect((await conversationOf(database, { chatId: userId, threadId: 0 })).model).toBeNull()
  expect(buttonsOf(playground.transcript(userId)[1])).toEqual([['✓ alpha-large']])
})

test('the model chosen in a private chat answers in its new in every topic', async () => {
  const { send, press } = await setUp()
  const userId = await send('hello')
  await database.prisma.user.create({ data: { id: userId, firstName: 'Anna' } })
  await send('/model', { userId })

  await press(userId, 'alpha-small')

  const topic = await conversationOf(database, { chatId: userId, threadId: 7 })
  expect(topic.model).toBe('alpha-small')
  expect((await beginConversation(database, { chatId: userId, threadId: 0 })).model).toBe(
    'alpha-small',
  )
})
