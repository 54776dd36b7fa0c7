import { expect, test } from 'vitest'
import { parseMarkdownV2 } from '../../../../src/playground/content/parse-mode/markdown-v2.ts'

test('every mark has its entity, and marks nest', () => {
  const { text, entities } = parseMarkdownV2('*b _i_* __u__ ~s~ ||p|| `c`')

  expect(text).toBe('b i u s p c')
  expect(entities).toEqual([
    { type: 'italic', offset: 2, length: 1 },
    { type: 'bold', offset: 0, length: 3 },
    { type: 'underline', offset: 4, length: 1 },
    { type: 'strikethrough', offset: 6, length: 1 },
    { type: 'spoiler', offset: 8, length: 1 },
    { type: 'code', offset: 10, length: 1 },
  ])
})

test('inside code only backticks are special, and a block has a language', () => {
  expect(parseMarkdownV2('```ts\na.b = \\`c\\`!\n```')).toEqual({
    text: 'a.b = `c`!\n',
    entities: [{ type: 'pre', offset: 0, length: 11, language: 'ts' }],
  })
})

test('links, custom emoji and times are texts in brackets with an address', () => {
  const { text, entities } = parseMarkdownV2(
    '[l](http://a.b/c\\)d) ![👍](tg://emoji?id=53) ![then](tg://time?unix=17&format=r) [a\\.b]',
  )

  expect(text).toBe('l 👍 then a.b')
  expect(entities).toEqual([
    { type: 'text_link', offset: 0, length: 1, url: 'http://a.b/c)d' },
    { type: 'custom_emoji', offset: 2, length: 2, custom_emoji_id: '53' },
    { type: 'date_time', offset: 5, length: 4, unix_time: 17, date_time_format: 'r' },
    { type: 'text_link', offset: 10, length: 3, url: 'http://a.b/' },
  ])
})

test('a quote goes over lines that begin with its mark, and two of them can stand together', () => {
  const { text, entities } = parseMarkdownV2('>a\n>*b*\nc\n>d\n**>e\n>f||')

  expect(text).toBe('a\nb\nc\nd\ne\nf')
  expect(entities).toEqual([
    { type: 'bold', offset: 2, length: 1 },
    { type: 'blockquote', offset: 0, length: 3 },
    { type: 'blockquote', offset: 6, length: 1 },
    { type: 'expandable_blockquote', offset: 8, length: 3 },
  ])
})

test('an address with a thousand backslashes and no end is refused at once', () => {
  expect(() => parseMarkdownV2(`[a](${'\\a'.repeat(1_000)}`)).toThrow("Can't find end of a URL")
})

test.for([
  ['a.b', "Character '.' is reserved and must be escaped with the preceding '\\'"],
  ['a > b', "Character '>' is reserved and must be escaped with the preceding '\\'"],
  ['a|b', "Character '|' is reserved and must be escaped with the preceding '\\'"],
  ['a!', "Character '!' is reserved and must be escaped with the preceding '\\'"],
  ['*a', "Can't find end of Bold entity at byte offset 0"],
  ['ы _a*b*', "Can't find end of Italic entity at byte offset 3"],
  ['>*a\nb', "Can't find end of Bold entity at byte offset 1"],
  ['```ts\na', "Can't find end of PreCode entity at byte offset 0"],
  ['[a](b', "Can't find end of a URL at byte offset 4"],
  ['![a]', 'Custom emoji entity must contain a tg://emoji URL'],
  ['![a](tg://emoji?id=x)', 'Custom emoji URL must have an emoji identifier'],
])('MarkdownV2 that cannot be read is refused with its offset: %s', ([source = '', why = '']) => {
  expect(() => parseMarkdownV2(source)).toThrow(`Bad Request: can't parse entities: ${why}`)
})
