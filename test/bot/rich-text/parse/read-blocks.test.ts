import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createGrowingFormat,
  formatMarkdown,
} from '../../../../src/bot/rich-text/format-markdown.ts'
import { type ReadBlocks, readBlocks } from '../../../../src/bot/rich-text/parse/read-blocks.ts'
import { makeAnswer } from '../answers.ts'
import { SPEC_EXAMPLES } from '../spec-examples.ts'

const SIGN = fc.constantFrom(
  ...['\n', '\n\n', '\n\n', ' ', '  ', '    ', '\t', 'a', 'b c', 'я', '1', '😀', '\\', '!'],
  ...['*', '**', '_', '~~', '`', '```', '```js\n', '~~~\n', '$', '$$\n', '==', '||', '&lt;'],
  ...['- ', '1. ', '2. ', '> ', '# ', '---\n', '===\n', '- [ ] ', '| a | b |\n', '|-|-|\n', '|'],
  ...['<b>', '</b>', '<div>\n', '</div>\n', '<!--', '-->', '<details><summary>s</summary>\n'],
  ...['</details>\n', '[', ']', '](http://x.org)', 'http://x.org', 'a@b.org', 'www.x.org'],
  ...['[^1]', '[^1]: ', '[a]', '[a]: http://x.org\n'],
)
/** Single signs, or whole blocks below each other. */
const MARKDOWN = fc.oneof(
  fc.array(SIGN, { maxLength: 40 }).map((signs) => signs.join('')),
  fc.array(fc.constantFrom(...SPEC_EXAMPLES), { maxLength: 8 }).map((all) => all.join('\n\n')),
  fc.nat(500).map((seed) => makeAnswer(seed, 1500)),
)

test('a text that grows, and ends otherwise on the way, is formatted as one that is read at once', () => {
  fc.assert(
    fc.property(
      MARKDOWN,
      fc.infiniteStream(
        fc.tuple(fc.nat(80), fc.constantFrom('', '', '**', '\n```', '|', '\n\nx\ny')),
      ),
      (markdown, steps) => {
        const format = createGrowingFormat()
        let end = 0
        for (const [step, closing] of steps) {
          const grown = `${markdown.slice(0, end)}${closing}`

          expect(format(grown)).toEqual(formatMarkdown(grown))
          if (end >= markdown.length) break
          end += step
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('a list below indented code is none, and is none either once it has grown', () => {
  const markdown = '\tcode\n\n10) a\n\nb\n'
  const format = createGrowingFormat()
  format(markdown.slice(0, -3))

  expect(format(markdown)).toEqual(formatMarkdown(markdown))
})

test('blocks that a longer text cannot change are not read again', () => {
  let read: ReadBlocks | undefined
  const paragraphs = Array.from(
    { length: 20 },
    (_, index) => `Paragraph **${index}**\nof two lines`,
  )

  for (const [index] of paragraphs.entries()) {
    const { blocks = [] } = read ?? {}
    read = readBlocks(paragraphs.slice(0, index + 1).join('\n\n'), read)

    expect(read.blocks.length).toBe(index + 1)
    for (const [at, block] of blocks.slice(0, -1).entries()) expect(read.blocks[at]).toBe(block)
  }
})
