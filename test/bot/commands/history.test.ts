import { expect, test } from 'vitest'
import { addTurn, buttonsOf, setUp, useCommands } from './commands-setup.ts'

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
