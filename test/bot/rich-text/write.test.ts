import { expect, test } from 'vitest'
import { layOutMarkdown } from '../../../src/bot/rich-text/layout.ts'
import { writeTextLines } from '../../../src/bot/rich-text/write-inline.ts'
import { findRefusals } from './server-rules.ts'

const FENCE = '```'

function writeWhole(markdown: string): string {
  const { parts } = layOutMarkdown(markdown, { isInterim: false })
  return parts.map((part) => part.markdown).join('\n\n')
}

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
  ['[a][r]\n\n[r]: https://x.org', '\\[a\\]\\[r\\]\n\n\\[r\\]: [https\\://x.org](https://x.org)'],
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
  ['| a |\n|---|\n| \\(x\\) |', '| a |\n| --- |\n| $x$ |'],
  ['`\\(x\\)`', '`\\(x\\)`'],
  [`${FENCE}\n\\[\nx\n\\]\n${FENCE}`, `${FENCE}\n\\[\nx\n\\]\n${FENCE}`],
  ['- a\n\n      \\(x\\) $y', `- a\n\n  ${FENCE}\n  \\(x\\) $y\n  ${FENCE}`],
  ['[a](https://x.org/\\(b\\))', '[a](https://x.org/%28b%29)'],
  ['a \\\\(x\\\\) b', 'a \\\\(x\\\\) b'],
  ['a \\(x', 'a (x'],
  ['a \\[1\\] b', 'a \\[1\\] b'],
  ['\\[1\\] b', '\\[1\\] b'],
])('%j is written so that Telegram reads what is meant', (markdown, written) => {
  expect(writeWhole(markdown)).toBe(written)
})

test('a table of more than 20 columns becomes code', () => {
  const row = `|${' a |'.repeat(21)}`
  const written = writeWhole(`${row}\n|${'---|'.repeat(21)}\n${row}`)

  expect(written.startsWith(FENCE)).toBe(true)
  expect(findRefusals(written)).toEqual([])
})

test.each(['> ', '- ', '1. '])(
  'blocks that are nested in %j too deeply are flattened',
  (marker) => {
    for (const depth of [5, 15, 20, 40, 500]) {
      const written = writeWhole(`${marker.repeat(depth)}deep`)

      expect(findRefusals(written)).toEqual([])
      expect(written).toContain('deep')
    }
  },
)

test.each([
  ['a\nb', 'a  \nb'],
  ['a\n\nb', 'a\n\nb'],
  ['a \n \t\n\n  b\r\nc', 'a\n\nb  \nc'],
  ['\n\n  a\n', 'a'],
  ['a\n\n# b', 'a\n\n\\# b'],
])('writeTextLines() keeps the lines and paragraphs of %j', (text, written) => {
  expect(writeTextLines(text)).toBe(written)
})
