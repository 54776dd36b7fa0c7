import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { expect, test } from 'vitest'
import { bracketFormulas } from '../../../../src/bot/rich-text/parse/bracket-formulas.ts'
import { dollarFormulas } from '../../../../src/bot/rich-text/parse/dollar-formulas.ts'
import {
  mayHaveLiteralLinks,
  parseMarkdown,
  withoutLiteralLinks,
} from '../../../../src/bot/rich-text/parse/parse-markdown.ts'
import { readPlainParagraphs } from '../../../../src/bot/rich-text/parse/plain-paragraphs.ts'
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
    extensions: [gfm({ singleTilde: false }), dollarFormulas(), bracketFormulas()],
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

test.each([
  'Answer: a kopeck buys thing 1, and (perhaps) thing 2 as well; 50% of it!',
  '«Да», — сказал он.\n\nNow it\'s 5/6 of "that" ',
])('readPlainParagraphs() reads %j without the parser', (source) => {
  expect(readPlainParagraphs(source)?.length).toBe(source.split('\n\n').length)
})

test.each(['*a*', 'a\nb', '1. a', '- a', ' a', 'a_b', 'a\tb', 'a &amp; b', 'a \\ b', '$1', '[a'])(
  'readPlainParagraphs() leaves %j to the parser',
  (source) => {
    expect(readPlainParagraphs(source)).toBeUndefined()
  },
)

test.each(['a@b', 'http://a', 'wWw.a'])(
  'mayHaveLiteralLinks() finds the sign of one in %j',
  (source) => {
    expect(mayHaveLiteralLinks(source)).toBe(true)
  },
)

test('without literal links no rule of the parser is tried at a letter', () => {
  const letters = [...'az09AZ'].map((letter) => letter.charCodeAt(0))
  const { text } = gfm()

  for (const letter of letters) expect(text).toHaveProperty(`${letter}`)
  for (const letter of letters) {
    expect(withoutLiteralLinks(gfm()).text).not.toHaveProperty(`${letter}`)
  }
})
