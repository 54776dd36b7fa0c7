import { expect, test } from 'vitest'
import { addTurn, setUp, useCommands } from './commands-setup.ts'

useCommands()

test('/export sends the conversation as Markdown, its instruction first', async () => {
  const { send, fileTo } = await setUp()
  const userId = await send('/system Be brief.')
  await addTurn(userId, { prompt: 'Why?', answer: '**Because.**\n\n```js\n1\n```' })

  await send('/export', { userId })

  const { fileName, text } = await fileTo(userId)
  expect(fileName).toBe('Why 2026-11-21.md')
  expect(text).toMatch(/^\ufeff# Why\?\n\nAs it was on .*\n\n## Instruction · .*\n\nBe brief\.\n/)
  expect(text).toContain('\n## Anna · 21 Nov 2026, 13:00\n\nWhy?\n')
  expect(text).toContain(
    '\n## alpha-large · 21 Nov 2026, 13:00 · 10 + 20 tokens · ₽0.50\n\n**Because.**\n\n```js\n1\n```\n',
  )
})

test('/export json has roles, times, models, tokens and costs, of many messages in order', async () => {
  const { send, fileTo } = await setUp()
  const userId = await send('hello')
  for (let index = 0; index < 60; index++) {
    await addTurn(userId, { prompt: `Question "${index}"`, answer: `Answer\n${index}` })
  }

  await send('/export JSON', { userId })

  const { fileName, text } = await fileTo(userId)
  expect(fileName).toBe('Question 0 2026-11-21.json')
  const { title, messages } = JSON.parse(text)
  expect(title).toBe('Question "0"')
  expect(messages.map(({ content }: { content: string }) => content)).toEqual(
    Array.from({ length: 60 }, (_, index) => [`Question "${index}"`, `Answer\n${index}`]).flat(),
  )
  expect(messages[1]).toEqual({
    role: 'assistant',
    content: 'Answer\n0',
    created_at: '2026-11-21T10:00:00.000Z',
    model: 'alpha-large',
    prompt_tokens: 10,
    completion_tokens: 20,
    cost_rub: '0.5',
    set_aside: false,
  })
})
