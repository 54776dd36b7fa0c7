import { expect, test } from 'vitest'
import { addTurn, buttonsOf, database, setUp } from '../../commands-setup.ts'

test('/history shows who said what and when, the newest page first, and pages back', async () => {
  const { send, press, playground } = await setUp()
  const userId = await send('hello')
  for (let index = 1; index <= 4; index++) {
    await addTurn(userId, { prompt: `Question ${index}`, answer: `Answer ${index}` })
  }

  await send('/history', { userId })
  const shown = () => playground.transcript(userId).at(-1)
  expect(shown()?.text).toMatch(/^Anna, 21 Nov 2026, 13:00\nQuestion 2\n\nalpha-large, 21 Nov/)
  expect(shown()?.text).toMatch(/Answer 4$/)
  expect(shown()?.entities?.[0]).toEqual({ type: 'bold', offset: 0, length: 24 })
  expect(buttonsOf(shown())).toEqual([['« Earlier']])
  await press(userId, '« Earlier')

  expect(shown()?.text).toMatch(/Question 1\n\n.*\nAnswer 1$/)
  expect(buttonsOf(shown())).toEqual([['Later »']])
})

test('long texts are shortened, six of them fit a message', async () => {
  const { send, playground } = await setUp()
  const userId = await send('hello')
  for (let index = 0; index < 3; index++) {
    await addTurn(userId, { prompt: '🦊'.repeat(3000), answer: 'ы'.repeat(30_000) })
  }

  await send('/history', { userId })

  const text = playground.transcript(userId).at(-1)?.text ?? ''
  expect(text).toContain(`${'🦊'.repeat(499)}…`)
  expect([...text].length).toBeLessThan(4096)
})

test('what failed is left out, what was set aside is marked', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Old', answer: 'Older', setAsideAt: new Date() })
  await addTurn(userId, { prompt: 'Broken', answer: 'Half', state: 'failed' })

  const answer = await answerTo(await send('/history', { userId, languageCode: 'en' }))

  expect(answer).toMatch(/^Anna, .*, set aside\nOld/)
  expect(answer).not.toContain('Broken')
})

test('/history of an empty conversation, and a page that is gone, have their words', async () => {
  const { send, press, answerTo, conversations } = await setUp()
  const userId = await send('/history')
  expect(await answerTo(userId)).toContain('Nothing has been said')
  for (let index = 0; index < 4; index++) {
    await addTurn(userId, { prompt: 'Question', answer: 'Answer' })
  }
  await send('/history', { userId })

  const { id } = await conversations.current({ chatId: userId, threadId: 0 })
  await database.prisma.conversation.delete({ where: { id } })

  expect((await press(userId, '« Earlier'))?.answer?.text).toContain('nothing left to read')
})
