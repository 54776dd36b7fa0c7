import { expect, test } from 'vitest'
import { layOutMarkdown } from '../../../../src/bot/rich-text/lay-out-markdown.ts'
import { writeTextLines } from '../../../../src/bot/rich-text/write/write-text.ts'
import { findRefusals, lettersOf } from '../server-rules.ts'

test.each([
  ['a\nb', 'a  \nb'],
  ['a\n\nb', 'a\n\nb'],
  ['a \n \t\n\n  b\r\nc', 'a\n\nb  \nc'],
  ['\n\n  a\n', 'a'],
  ['a\n\n# b', 'a\n\n\\# b'],
])('writeTextLines() keeps the lines and paragraphs of %j', (text, written) => {
  expect(writeTextLines(text)).toBe(written)
})

test('a text of very many paragraphs keeps them as lines', () => {
  const written = writeTextLines('a\n\n'.repeat(600))

  expect(written).toBe(Array.from({ length: 600 }, () => 'a').join('  \n'))
})

test.each([
  { what: 'a quote with more blocks than a message takes', markdown: '> a\n>\n'.repeat(700) },
  { what: 'tags around many paragraphs', markdown: `<!--\n${'a\n\n'.repeat(90)}-->\n\n`.repeat(9) },
])('$what is shown as text, within the bounds', ({ markdown }) => {
  const { parts } = layOutMarkdown(markdown, { isInterim: false })

  for (const part of parts) expect(findRefusals(part.markdown)).toEqual([])
  expect(parts.map((part) => lettersOf(part.markdown)).join('')).toBe(lettersOf(markdown))
})
