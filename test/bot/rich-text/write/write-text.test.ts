import { expect, test } from 'vitest'
import { writeTextLines } from '../../../../src/bot/rich-text/write/write-text.ts'

test.each([
  ['a\nb', 'a  \nb'],
  ['a\n\nb', 'a\n\nb'],
  ['a \n \t\n\n  b\r\nc', 'a\n\nb  \nc'],
  ['\n\n  a\n', 'a'],
  ['a\n\n# b', 'a\n\n\\# b'],
])('writeTextLines() keeps the lines and paragraphs of %j', (text, written) => {
  expect(writeTextLines(text)).toBe(written)
})
