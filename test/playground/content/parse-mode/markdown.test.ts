import { expect, test } from 'vitest'
import { parseMarkdown } from '../../../../src/playground/content/parse-mode/markdown.ts'

test('the legacy Markdown has bold, italic, code, blocks and links', () => {
  const { text, entities } = parseMarkdown('*b* _i_ `c` [l](example.com)\n```ts\nlet a\n```')

  expect(text).toBe('b i c l\nlet a\n')
  expect(entities).toEqual([
    { type: 'bold', offset: 0, length: 1 },
    { type: 'italic', offset: 2, length: 1 },
    { type: 'code', offset: 4, length: 1 },
    { type: 'text_link', offset: 6, length: 1, url: 'http://example.com/' },
    { type: 'pre', offset: 8, length: 6, language: 'ts' },
  ])
})

test('an escaped mark stays, marks do not nest, and a mention is a link to a user', () => {
  expect(parseMarkdown('\\*a\\_b')).toEqual({ text: '*a_b', entities: [] })
  expect(parseMarkdown('*a_b*')).toEqual({
    text: 'a_b',
    entities: [{ type: 'bold', offset: 0, length: 3 }],
  })
  expect(parseMarkdown('[Ann](tg://user?id=5)').entities).toMatchObject([
    { type: 'text_mention', user: { id: 5 } },
  ])
})

test.for([
  ['*a', 0],
  ['ы _a', 3],
  ['`a', 0],
  ['```a', 0],
  ['[a', 0],
] as const)('a mark without its end is refused with its offset: %s', ([source, offset]) => {
  expect(() => parseMarkdown(source)).toThrow(
    `Bad Request: can't parse entities: Can't find end of the entity starting at byte offset ${offset}`,
  )
})
