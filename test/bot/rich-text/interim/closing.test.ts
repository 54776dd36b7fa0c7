import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  closeOpenConstructs,
  layOutMarkdown,
} from '../../../../src/bot/rich-text/lay-out-markdown.ts'
import { findRefusals, isWithin, lettersOf } from '../server-rules.ts'
import { SPEC_EXAMPLES } from '../spec-examples.ts'

const FENCE = '```'
/** All beginnings were tried once; every so many-th one keeps the test short. */
const STEP = 13

function writeWhole(markdown: string): string {
  const { parts } = layOutMarkdown(markdown, { isInterim: false })
  return parts.map((part) => part.markdown).join('\n\n')
}

test.each([
  ['foo **bar', 'foo **bar**'],
  ['foo **', 'foo'],
  ['**a *b', '**a _b_**'],
  ['~~old', '~~old~~'],
  ['a `b c', 'a `b c`'],
  ['see [text](http://exa', 'see text'],
  ['see [te', 'see te'],
  ['foo ![al', 'foo al'],
  ['x <b>bold', 'x **bold**'],
  ['x <u>under', 'x <u>under</u>'],
  ['x <u', 'x'],
  ['Hi &am', 'Hi'],
  ['a [^1', 'a'],
  ['text\n--', 'text'],
  ['- a\n-', '- a'],
  ['> **a\n> b', '> **a  \n> b**'],
  [`${FENCE}js\nlet\n\`\``, `${FENCE}js\nlet\n${FENCE}`],
  ['$$\nx+y', '$$x+y$$'],
  ['a \\', 'a'],
  ['a \\(', 'a'],
  ['a \\(x+y', 'a $x+y$'],
  ['a \\(x\\', 'a $x$'],
  ['**b \\(x', '**b $x$**'],
  ['a \\[1', 'a \\[1'],
  ['\\[', '…'],
  ['\\[ x', '$$x$$'],
  ['\\[\nx+y', '$$x+y$$'],
  ['\\[\nx+y\n\\', '$$x+y$$'],
  ['$$\nx+y\n$', '$$x+y$$'],
  ['| a | b |\n|--', '…'],
  ['text\n\n| a | b |', 'text'],
  ['| a | b |\n|---|---|\n| 1 | **z', '| a | b |\n| --- | --- |\n| 1 | **z** |'],
  ['', '…'],
])('closeOpenConstructs() closes or holds back what is open in %j', (markdown, closed) => {
  expect(closeOpenConstructs(markdown)).toBe(closed)
})

test.each([
  ['$5 and $6', '\\$5 and \\$6'],
  ['a || b == c', 'a \\|\\| b \\=\\= c'],
  ['#tag', '\\#tag'],
  ['~5', '\\~5'],
  ['1 < 2 <div>', '1 < 2 &lt;div>'],
  ['<tg-thinking>a</tg-thinking>', '&lt;tg-thinking>a&lt;/tg-thinking>'],
  ['[a](docs/x.md)', 'a (docs/x.md)'],
  ['[a](javascript:x)', 'a (javascript:x)'],
  ['[a]()', 'a'],
  ['![a](https://x.org/i.png)', '[a](https://x.org/i.png)'],
  ['[a][r]\n\n[r]: https://x.org', '[a](https://x.org)'],
  ['[r]: https://x.org', '\\[r\\]: [https\\://x.org](https://x.org)'],
  ['Title\n=====', '# Title'],
  ['a  \nb\nc', 'a  \nb  \nc'],
  ['#', '\\#'],
  ['a \\(x_1 + y_1\\), b', 'a $x_1 + y_1$, b'],
  ['a \\(x\ny\\)', 'a $x y$'],
  ['a \\[ x \\] b', 'a $x$ b'],
  ['\\[x = y\\]', '$$x = y$$'],
  ['a\n\\[\nx\n- y \\\\[2pt]\n\\]\nb', `a\n\n${FENCE}math\nx\n- y \\\\[2pt]\n${FENCE}\n\nb`],
  ['> \\[\n> x\n> \\]\n\nb', '> $$x$$\n\nb'],
  ['- a\n\n  \\[\n  x\n\nb', '- a\n\n  $$x$$\n\nb'],
  ['| a |\n|---|\n| \\(x\\) |', '| a |\n| --- |\n| $x$ |'],
  ['`\\(x\\)`', '`\\(x\\)`'],
  [`${FENCE}\n\\[\nx\n\\]\n${FENCE}`, `${FENCE}\n\\[\nx\n\\]\n${FENCE}`],
  ['a \\\\(x\\\\) b', 'a \\\\(x\\\\) b'],
  ['a \\(x', 'a (x'],
  ['a \\[1\\] b', 'a \\[1\\] b'],
  ['\\[1\\] b', '\\[1\\] b'],
])('a whole text %j is written as Telegram reads it', (markdown, written) => {
  expect(writeWhole(markdown)).toBe(written)
})

test('a table of more than 20 columns becomes code', () => {
  const row = `|${' a |'.repeat(21)}`
  const written = writeWhole(`${row}\n|${'---|'.repeat(21)}\n${row}`)

  expect(written.startsWith(FENCE)).toBe(true)
  expect(findRefusals(written)).toEqual([])
})

test.each(['> ', '- ', '1. '])('what is nested in %j too deeply is flattened', (marker) => {
  for (const depth of [5, 15, 20, 40, 500]) {
    const written = writeWhole(`${marker.repeat(depth)}deep`)

    expect(findRefusals(written)).toEqual([])
    expect(written).toContain('deep')
  }
})

test('every example of the specifications is taken, and nothing of it is lost', () => {
  for (const example of SPEC_EXAMPLES) {
    const written = writeWhole(example)

    expect(findRefusals(written), example).toEqual([])
    expect(isWithin(lettersOf(example), lettersOf(written)), example).toBe(true)
  }
})

test('the beginnings of every example are taken', () => {
  for (const [index, example] of SPEC_EXAMPLES.entries()) {
    for (let length = 1 + (index % STEP); length <= example.length; length += STEP) {
      const beginning = example.slice(0, length)
      expect(findRefusals(closeOpenConstructs(beginning)), beginning).toEqual([])
    }
  }
})

test('any text made of signs is taken, whole and in part', () => {
  const sign = fc.constantFrom(
    ...[
      '*',
      '**',
      '_',
      '`',
      FENCE,
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '&',
      '$',
      '$$',
      '|',
      '||',
      '==',
      '~~',
    ],
    ...[
      '\n',
      '\n\n',
      ' ',
      '- ',
      '1. ',
      '> ',
      '# ',
      '    ',
      'a',
      'b',
      'я',
      '1',
      '<b>',
      '</b>',
      '<u>',
    ],
    ...[
      '|-|-|\n',
      '\\(',
      '\\)',
      '\\[',
      '\\]',
      '[^1]',
      '[^1]: ',
      '[a]: http://x.org',
      '](http://x.org)',
      '!',
      '\\',
      '😀',
      '&lt;',
    ],
  )
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 30 }), (signs) => {
      const markdown = signs.join('')
      expect(findRefusals(closeOpenConstructs(markdown))).toEqual([])
      if (markdown.trim() === '') return
      const written = writeWhole(markdown)
      expect(findRefusals(written)).toEqual([])
      expect(isWithin(lettersOf(markdown), lettersOf(written))).toBe(true)
    }),
    { numRuns: 300, seed: 7 },
  )
})
