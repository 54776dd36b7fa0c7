import { expect, test } from 'vitest'
import { buttonsOf, database, MODELS, model, setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test('/model shows prices and marks the one that answers; a press changes it', async () => {
  const { send, press, conversations, playground } = await setUp()
  const userId = await send('/model')
  const [, list] = playground.transcript(userId)
  expect(list?.text).toContain('alpha-large — in ₽150.00, out ₽600.00')
  expect(list?.text).toContain('alpha-small — in ₽0.50, out ₽2.00')
  expect(buttonsOf(list)).toEqual([['✓ alpha-large'], ['alpha-small']])

  const pressed = await press(userId, 'alpha-small')

  expect((await conversations.current({ chatId: userId, threadId: 0 })).model).toBe('alpha-small')
  expect(pressed?.answer?.text).toBe('From the next message on, alpha-small answers.')
  const [, changed] = playground.transcript(userId)
  expect(buttonsOf(changed)).toEqual([['alpha-large'], ['✓ alpha-small']])
})

test('/model takes a name, or a part that no other name has', async () => {
  const { send, answerTo, conversations } = await setUp()
  const userId = await send('/model SMALL')
  const chosen = async () => (await conversations.current({ chatId: userId, threadId: 0 })).model

  expect(await answerTo(userId)).toBe('From the next message on, alpha-small answers.')
  expect(await chosen()).toBe('alpha-small')
  await send('/model alpha-large', { userId })
  expect(await chosen()).toBe('alpha-large')
})

// Promise: `/model` or `/language` is given a word that names none, or several
test.each(['alpha', 'gamma'])(
  '/model %s means no single model, and shows the list',
  async (typed) => {
    const { send, conversations, playground } = await setUp()

    const userId = await send(`/model ${typed}`)

    const [, list] = playground.transcript(userId)
    expect(list?.text).toContain(`“${typed}”`)
    expect(buttonsOf(list)).toEqual([['✓ alpha-large'], ['alpha-small']])
    expect((await conversations.current({ chatId: userId, threadId: 0 })).model).toBeNull()
  },
)

test('of two models of which one has the name of the other in its own, the exact name means the one', async () => {
  const models = [model('beta', 1, 2), model('beta-mini', 1, 2)]
  const { send, answerTo } = await setUp({ models })

  expect(await answerTo(await send('/model beta'))).toContain('beta answers')
})

test('many models come in pages, however long their names', async () => {
  const models = Array.from({ length: 20 }, (_, index) =>
    model(`${'very-long-name-'.repeat(8)}${index}`, 1, 2),
  )
  const { send, press, playground } = await setUp({ models })
  const userId = await send('/model')
  expect(buttonsOf(playground.transcript(userId)[1])).toHaveLength(9)

  await press(userId, 'More »')
  await press(userId, 'More »')

  const buttons = buttonsOf(playground.transcript(userId)[1])
  expect(buttons).toHaveLength(5)
  expect(buttons.at(-1)).toEqual(['« Back'])
})

test('a model that went away is shown to be gone, and the list is fresh', async () => {
  const models = [...MODELS]
  const { send, press, conversations, playground } = await setUp({ models })
  const userId = await send('/model')
  models.pop()

  const pressed = await press(userId, 'alpha-small')

  expect(pressed?.answer?.text).toContain('no longer available')
  expect((await conversations.current({ chatId: userId, threadId: 0 })).model).toBeNull()
  expect(buttonsOf(playground.transcript(userId)[1])).toEqual([['✓ alpha-large']])
})

test('a chosen model that went away leaves the mark to the default', async () => {
  const { send, conversations, playground } = await setUp({ defaultModel: 'alpha-small' })
  const userId = await send('hello')
  await conversations.chooseModel({ chatId: userId, threadId: 0 }, 'gone')

  await send('/model', { userId })

  expect(buttonsOf(playground.transcript(userId).at(-1))).toEqual([
    ['alpha-large'],
    ['✓ alpha-small'],
  ])
})

test('a chosen model that the service has just got answers at once', async () => {
  const models = [...MODELS]
  const { send, press, offered } = await setUp({ models })
  await offered.ready()
  models.push(model('beta', 1, 2))
  const userId = await send('/model')

  await press(userId, 'beta')

  expect(offered.choose('beta')).toBe('beta')
})

test('the model chosen in a private chat answers in its new conversations, in every topic', async () => {
  const { send, press, conversations } = await setUp()
  const userId = await send('hello')
  await database.prisma.user.create({ data: { id: userId, firstName: 'Anna' } })
  await send('/model', { userId })

  await press(userId, 'alpha-small')

  const topic = await conversations.current({ chatId: userId, threadId: 7 })
  expect(topic.model).toBe('alpha-small')
  expect((await conversations.begin({ chatId: userId, threadId: 0 })).model).toBe('alpha-small')
})
