import { expect, test } from 'vitest'
import { addTurn, buttonsOf, database, setUp, useCommands } from '../../commands-setup.ts'

useCommands()

function wordsOf(message: unknown): string {
  const { rich, text } = (message ?? {}) as { rich?: { blocks: unknown }; text?: string }
  return JSON.stringify(rich?.blocks ?? text ?? '')
}

test('/history shows who wrote what and when, the newest page first, and pages back and forth', async () => {
  const { send, press, playground } = await setUp()
  const userId = await send('hello')
  for (let index = 1; index <= 8; index++) {
    await addTurn(userId, { prompt: `Question ${index}`, answer: `Answer ${index}` })
  }

  await send('/history', { userId })
  const shown = () => playground.transcript(userId).at(-1)
  const numbers = () => [...wordsOf(shown()).matchAll(/Question (\d)/g)].map(([, number]) => number)
  expect(wordsOf(shown())).toContain('Anna, 21 Nov 2026, 13:00')
  expect(wordsOf(shown())).toContain('alpha-large, 21 Nov 2026, 13:00')
  expect(numbers()).toEqual(['3', '4', '5', '6', '7', '8'])
  expect(buttonsOf(shown())).toEqual([['« Earlier']])
  await press(userId, '« Earlier')
  expect(numbers()).toEqual(['1', '2'])
  expect(buttonsOf(shown())).toEqual([['Later »']])
  await press(userId, 'Later »')

  expect(numbers()).toEqual(['3', '4', '5', '6', '7'])
  expect(buttonsOf(shown())).toEqual([['« Earlier', 'Later »']])
})

test('answers are formatted as they were shown, questions mean themselves', async () => {
  const { send, playground } = await setUp()
  const userId = await send('hello')
  const answer = 'A **bold** word\n\n```js\nopen()'
  await addTurn(userId, { prompt: '**Why** 2*3*4?', answer })
  await addTurn(userId, { prompt: 'And?', answer: '| a | b |\n| - | - |\n| 1 | 2 |' })

  await send('/history', { userId })

  const words = wordsOf(playground.transcript(userId).at(-1))
  expect(words).toContain('**Why** 2*3*4?')
  expect(words).toContain('{"type":"bold","text":"bold"}')
  expect(words).toContain('{"type":"pre","text":"open()","language":"js"}')
  expect(words).toContain('"type":"table"')
})

// Promise: A server that takes no rich messages is asked for `/history`
test('where the server takes no rich messages, a page is a text with entities', async () => {
  const { send, playground } = await setUp()
  playground.fault({ kind: 'noRich' })
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Why?', answer: '**Because.**' })

  await send('/history', { userId })

  const shown = playground.transcript(userId).at(-1)
  expect(shown?.text).toMatch(/^Anna, .*\n\nWhy\?\n\nalpha-large, .*\n\nBecause\.$/)
  expect(shown?.entities).toContainEqual({
    type: 'bold',
    offset: shown?.text?.indexOf('Because'),
    length: 8,
  })
})

// Promise: An answer is longer than a page of `/history`
test('a long answer goes on over several pages, and nothing of it is left out', async () => {
  const { send, press, playground } = await setUp()
  const userId = await send('hello')
  const paragraphs = Array.from({ length: 60 }, (_, index) => `Line ${index}. ${'ы'.repeat(90)}`)
  await addTurn(userId, { prompt: '🦊'.repeat(3000), answer: paragraphs.join('\n\n') })

  await send('/history', { userId })
  const shown = () => playground.transcript(userId).at(-1)
  const pages = [wordsOf(shown())]
  while (buttonsOf(shown()).flat().includes('« Earlier')) {
    await press(userId, '« Earlier')
    pages.unshift(wordsOf(shown()))
  }

  const numbers = pages.flatMap((page) => [...page.matchAll(/Line (\d+)\./g)].map(([, at]) => at))
  expect(numbers).toEqual(paragraphs.map((_, index) => String(index)))
  expect(pages[0]).toContain(`${'🦊'.repeat(499)}…`)
  expect(Math.max(...pages.map((page) => page.length))).toBeLessThan(6_000)
})

test('what failed is left out, what was set aside is marked', async () => {
  const { send, playground } = await setUp()
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Old', answer: 'Older', setAsideAt: new Date() })
  await addTurn(userId, { prompt: 'Broken', answer: 'Half', state: 'failed' })

  await send('/history', { userId })

  const words = wordsOf(playground.transcript(userId).at(-1))
  expect(words).toMatch(/Anna, [^"]*, no longer counts/)
  expect(words).not.toContain('Broken')
})

test('a summary is shown as what the model wrote, and is no instruction', async () => {
  const { send, playground, fileTo } = await setUp()
  const userId = await send('hello')
  const conversationId = await addTurn(userId, { prompt: 'Why?', answer: '**In short.**' })
  const { prisma } = database
  await prisma.message.deleteMany({ where: { conversationId, role: 'user' } })
  await prisma.message.updateMany({ where: { conversationId }, data: { role: 'system' } })

  await send('/history', { userId })
  const words = wordsOf(playground.transcript(userId).at(-1))
  expect(words).toContain('alpha-large, summary, 21 Nov 2026')
  expect(words).toContain('\\n\\nIn short.')
  await send('/export', { userId })

  expect((await fileTo(userId)).text).toContain(
    '\n## summary · 21 Nov 2026, 13:00 · 10 + 20 tokens',
  )
})

test('/history of an empty conversation, and a page that is gone, have their words', async () => {
  const { send, press, answerTo, conversations } = await setUp()
  const userId = await send('/history')
  expect(await answerTo(userId)).toContain('still empty')
  for (let index = 0; index < 8; index++) {
    await addTurn(userId, { prompt: 'Question', answer: 'Answer' })
  }
  await send('/history', { userId })

  const { id } = await conversations.current({ chatId: userId, threadId: 0 })
  await database.prisma.conversation.delete({ where: { id } })

  expect((await press(userId, '« Earlier'))?.answer?.text).toContain(
    'nothing to read here any more',
  )
})
