import type { Message, RichBlock } from 'grammy/types'
import { expect, test } from 'vitest'
import { readQuote } from '../../../src/bot/telegram/prompt.ts'

test('the part that was marked stands for the whole message', () => {
  const quote = { text: 'only this', position: 0 }

  expect(readQuote(answerTo({ text: 'not all, only this' }, { quote }))).toBe('only this')
})

test('of a rich message the words are read, in blocks of every kind', () => {
  const blocks = [
    { type: 'heading', text: 'Title', size: 1 },
    { type: 'paragraph', text: ['a ', { type: 'bold', text: 'b' }, ' c'] },
    {
      type: 'list',
      items: [{ label: '•', blocks: [{ type: 'paragraph', text: 'one' }] }],
    },
    { type: 'mathematical_expression', expression: 'x^2' },
    { type: 'unknown to this bot', something: 1 },
  ] as unknown as RichBlock[]

  const message = answerTo({ rich_message: { blocks } } as Partial<Message>)

  expect(readQuote(message)).toBe('Title\na b c\none\nx^2')
})

test('a long one is cut, and never inside a character', () => {
  const quote = readQuote(answerTo({ text: `${'x'.repeat(2999)}🦊🦊` }))

  expect(quote).toBe(`${'x'.repeat(2999)}…`)
})

function answerTo(original: Partial<Message>, rest: Partial<Message> = {}): Message {
  return { reply_to_message: original, ...rest } as Message
}
