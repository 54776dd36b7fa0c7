import { expect, test } from 'vitest'
import { isRightToLeft } from '../../../src/bot/rich-text/characters.ts'
import { formatMarkdown, splitFormatted } from '../../../src/bot/rich-text/entities.ts'
import { MESSAGE_CHARS_MAX } from '../../../src/bot/telegram/message.ts'

test('formatMarkdown() gives the text and the offsets of its formatting', () => {
  const { text, entities } = formatMarkdown(
    '# 😀 Head\n\nA **bold** [link](https://x.org)\n\n1. a\n2. `b`\n\n> quote\n\n```js\nlet\n```',
  )

  expect(text).toBe('😀 Head\n\nA bold link\n\n1. a\n2. b\n\nquote\n\nlet')
  expect(
    entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]),
  ).toEqual([
    ['bold', '😀 Head'],
    ['bold', 'bold'],
    ['text_link', 'link'],
    ['code', 'b'],
    ['blockquote', 'quote'],
    ['pre', 'let'],
  ])
})

test('splitFormatted() cuts formatting where it cuts the text', () => {
  const whole = formatMarkdown(`**${'word '.repeat(2000)}end**`)

  const parts = splitFormatted(whole, { charsMax: MESSAGE_CHARS_MAX })

  expect(parts.length).toBeGreaterThan(2)
  for (const { text, entities } of parts) {
    expect(entities).toEqual([{ type: 'bold', offset: 0, length: text.length }])
  }
  expect(parts.map(({ text }) => text).join(' ')).toBe(whole.text)
})

test('splitFormatted() gives no message more than 100 entities', () => {
  const whole = formatMarkdown('**a** b\n'.repeat(350))

  const parts = splitFormatted(whole, { charsMax: MESSAGE_CHARS_MAX })

  expect(parts.map(({ entities }) => entities.length).reduce((sum, count) => sum + count)).toBe(350)
  for (const { entities } of parts) expect(entities.length).toBeLessThanOrEqual(100)
})

test('the columns of a table stand one below the other, each on its side, with long cells in several lines', () => {
  const table = [
    '| Name | Year | Words |',
    '|:--|:-:|--:|',
    '| 中文 | 1972 | **b** |',
    '| C😀 | 19 | many words that do not fit into one line |',
    '| $x^2$ | 1 | ok |',
  ]

  const { text, entities } = formatMarkdown(table.join('\n'))

  expect(text.split('\n')).toEqual([
    'Name | Year |                  Words',
    '-----+------+-----------------------',
    '中文 | 1972 |                      b',
    'C😀  |  19  | many words that do not',
    '     |      |      fit into one line',
    'x^2  |  1   |                     ok',
  ])
  expect(entities).toEqual([{ type: 'pre', offset: 0, length: text.length }])
})

test.each([
  '1. «12» — `code` שלום',
  '# [קישור](https://example.com)',
  '```python\nprint("hi")\n```\n\nהקוד',
  '> ![](https://example.com/a.png) שלום',
])('%j is read from right to left', (text) => {
  expect(isRightToLeft(text)).toBe(true)
})

test.each(['', '123', 'Hebrew: שלום', 'Привет, שלום', '```\nשלום\n```\n\nis a word', '`שלום` is'])(
  '%j is read from left to right',
  (text) => {
    expect(isRightToLeft(text)).toBe(false)
  },
)
