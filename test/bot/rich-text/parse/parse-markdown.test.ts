import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { expect, test } from 'vitest'
import { bracketFormulas } from '../../../../src/bot/rich-text/parse/bracket-formulas.ts'
import { dollarFormulas } from '../../../../src/bot/rich-text/parse/dollar-formulas.ts'
import { lenientBold } from '../../../../src/bot/rich-text/parse/lenient-bold.ts'
import { parseMarkdown } from '../../../../src/bot/rich-text/parse/parse-markdown.ts'
import { SPEC_EXAMPLES } from '../spec-examples.ts'

const ASCII = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1))
const WORDS = ['a', 'b c', '. ', 'я', '\n\n', '\n', ' ', '  ', '1. ', '(', '"', ':', '/', ', ']
const RARE = [
  '😀',
  '\u{feff}',
  '\u{a0}',
  '\u{2028}',
  '\u{d800}',
  'http:',
  'www',
  'http://x.y',
  'a@b.c',
]

function parseByAllRules(source: string) {
  return fromMarkdown(source, {
    extensions: [gfm({ singleTilde: false }), dollarFormulas(), bracketFormulas(), lenientBold()],
    mdastExtensions: [
      ...gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] })),
      mathFromMarkdown(),
    ],
  })
}

test.each([
  { name: 'any characters', pieces: [...ASCII, ...WORDS, ...RARE] },
  { name: 'words', pieces: WORDS },
])('parseMarkdown() takes no short cut to another tree: $name', ({ pieces }) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const source = parts.join('')
      expect(parseMarkdown(source).children).toEqual(parseByAllRules(source).children)
    }),
    { numRuns: 2000, seed: 11 },
  )
})

test('parseMarkdown() takes no short cut to another tree: the examples of the specifications', () => {
  for (const example of SPEC_EXAMPLES) {
    expect(parseMarkdown(example).children, example).toEqual(parseByAllRules(example).children)
  }
})
