import { expect, test } from 'vitest'
import { layOutMarkdown } from '../../../src/bot/rich-text/layout.ts'
import { findRefusals } from './server-rules.ts'
import { SPEC_EXAMPLES } from './spec-examples.ts'

const FENCE = '```'
/** All beginnings were tried once; every so many-th one keeps the test short. */
const STEP = 13

function writeGrowing(markdown: string): string {
  return layOutMarkdown(markdown, { isInterim: true }).parts[0]?.markdown ?? ''
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
])('a growing text has what is open in %j closed or held back', (markdown, closed) => {
  expect(writeGrowing(markdown)).toBe(closed)
})

test('Telegram takes the beginnings of every example of the specifications', () => {
  for (const [index, example] of SPEC_EXAMPLES.entries()) {
    for (let length = 1 + (index % STEP); length <= example.length; length += STEP) {
      const beginning = example.slice(0, length)
      if (beginning.trim() === '') continue
      expect(findRefusals(writeGrowing(beginning)), beginning).toEqual([])
    }
  }
})
