import { expect, test } from 'vitest'
import { formatMarkdown, splitFormatted } from '../../../src/bot/rich-text/entities.ts'
import { layOutMarkdown, type RichLayout } from '../../../src/bot/rich-text/layout.ts'
import { MESSAGE_CHARS_MAX } from '../../../src/bot/telegram/message.ts'
import { findRefusals } from './server-rules.ts'

const FENCE = '```'

/** What a reader sees of an answer, with each stretch of formatting as `type:text`. */
function show(answer: string): { text: string; formats: string[] } {
  const { parts } = layOutMarkdown(answer, { isInterim: false })
  expect(parts.flatMap(({ markdown }) => findRefusals(markdown))).toEqual([])
  const shown = parts.map(({ markdown }) => formatMarkdown(markdown))
  const formats = shown.flatMap(({ text, entities }) =>
    entities.map(({ type, offset, length }) => `${type}:${text.slice(offset, offset + length)}`),
  )
  return { text: shown.map(({ text }) => text).join('\n\n'), formats }
}

test.each([
  '5$/мес, 10$/год. Цены: 5$, 10$ и 15$.',
  'US$5 and US$6',
  '٥$ and ٦$.',
  'Add $HOME/bin:$PATH to it',
  `Use \${HOME}/bin:\${PATH} and $A:$_B.`,
  'От 100$ (было 200$) до $300.',
])('prices and variables are text: %s', (answer) => {
  expect(show(answer)).toEqual({ text: answer, formats: [] })
})

test.each([
  ['Если $x$, то 5 = $y+1$.', ['code:x', 'code:y+1']],
  ['其中$m$是质量，$n$는 수', ['code:m', 'code:n']],
  ['2\\(\\pi\\)r', ['code:\\pi']],
  ['For 5$ it is $x^2$, for 6$ not.', ['code:x^2']],
])('formulas are formulas: %s', (answer, formats) => {
  expect(show(answer).formats).toEqual(formats)
})

test.each([
  ['**Внимание:**текст', ['bold:Внимание:']],
  ['**提示：**请看', ['bold:提示：']],
  ['请看**“注意”**这里', ['bold:“注意”']],
  ['***Итак.***Дальше', ['italic:Итак.', 'bold:Итак.']],
  ['- **C++**код, **5 $**за штуку', ['bold:C++', 'bold:5 $']],
  ['f(**a) and g(**b), src/**a and test/**b', []],
  ['x**(2) + y**(3), a=**b c=**d', []],
  ['**a**, b **c**d and *e:*f', ['bold:a', 'bold:c']],
])('bold that ends or begins in punctuation next to a letter: %s', (answer, formats) => {
  expect(show(answer).formats).toEqual(formats)
})

test.each([
  ['See <a href="https://x.org/?a=1&amp;b=2" target="_blank">the docs</a>.', 'See the docs.'],
  [`<A class='b' HREF = 'https://x.org'>**docs**</A> and more`, 'docs and more'],
])('HTML links are links: %s', (answer, text) => {
  const shown = show(answer)

  expect(shown.text).toBe(text)
  expect(shown.formats).toContainEqual(expect.stringMatching(/^text_link:(the )?docs$/))
})

test.each([
  '<a href="http://127.0.0.1/x">a</a>',
  '<a href="javascript:x">a</a>',
  '<a name="b">a</a>',
])('other tags of links are text: %s', (answer) => {
  expect(show(answer)).toEqual({ text: answer, formats: [] })
})

test('no half tag of a link is shown while it grows', () => {
  const answer = 'See <a class="b" href="https://x.org">the docs</a>.'
  for (let length = 1; length < answer.length; length++) {
    const { parts } = layOutMarkdown(answer.slice(0, length), { isInterim: true })
    expect(formatMarkdown(parts[0]?.markdown ?? '').text).not.toMatch(/[<>]/)
  }
})

const README = `# Name\n\n${FENCE}bash\nnpm i\n${FENCE}\n\nText\n${FENCE}js\nlet a\n${FENCE}\n\nEnd`

test.each([
  { name: 'a block', answer: `${FENCE}markdown\n${README}\n${FENCE}\n\nProse **b**`, code: README },
  { name: 'md', answer: `${FENCE}md title="a"\n${README}\n${FENCE}\n\nProse **b**`, code: README },
  {
    name: 'tildes',
    answer: `${FENCE}md\n${README}\n${FENCE}\n\nProse **b**`.replaceAll('`', '~'),
    code: README.replaceAll('`', '~'),
  },
  {
    name: 'an item',
    answer: `1. A\n\n${`${FENCE}md\n${README}\n${FENCE}`.replaceAll(/^(?=.)/gm, '   ')}\n\nProse **b**`,
    code: README,
  },
  {
    name: 'a quote',
    answer: `${`${FENCE}md\n${README}\n${FENCE}`.replaceAll(/^/gm, '> ')}\n\nProse **b**`,
    code: README,
  },
])('code in a block of Markdown does not end it: $name', ({ answer, code }) => {
  expect(show(answer).formats.filter((format) => !format.startsWith('blockquote'))).toEqual([
    `pre:${code}`,
    'bold:b',
  ])
})

test('a block of Markdown that is cut in the middle of its code is the same, however it grew', () => {
  const code = Array.from({ length: 700 }, (_, line) => `npm install package-${line}`).join('\n')
  const answer = `${FENCE}markdown\n# Name\n\n${FENCE}bash\n${code}\n${FENCE}\n\nEnd\n${FENCE}\n\nProse **b**`
  const whole = layOutMarkdown(answer, { isInterim: false }).parts
  let layout: RichLayout | undefined
  for (let length = 1; length < answer.length; length += 501) {
    layout = layOutMarkdown(answer.slice(0, length), { after: layout, isInterim: true })
  }

  expect(whole.length).toBeGreaterThan(2)
  expect(layOutMarkdown(answer, { after: layout, isInterim: false }).parts).toEqual(whole)
  const { formats } = show(answer)
  expect(formats.slice(0, -1).every((format) => format.startsWith('pre:'))).toBe(true)
  expect(formats.at(-2)).toMatch(/```\n\nEnd$/)
  expect(formats.at(-1)).toBe('bold:b')
})

test.each([
  ['families', '👨‍👩‍👧‍👦'],
  ['skin tones', '👍🏽'],
  ['hearts', '❤️'],
  ['flags', '🇩🇪'],
  ['letters with marks', 'е\u0301'],
])('a text of nothing but %s is cut between them', (_name, character) => {
  const answer = `a${character.repeat(16_000 / character.length)}`
  const { parts } = layOutMarkdown(answer, { isInterim: false })
  const messages = parts.flatMap(({ markdown }) =>
    splitFormatted(formatMarkdown(markdown), { charsMax: MESSAGE_CHARS_MAX }),
  )

  expect(messages.length).toBeGreaterThan(3)
  const all = [...parts.map(({ markdown }) => markdown), ...messages.map(({ text }) => text)]
  expect(all.filter((text) => /^(?:\p{M}|\u200d|\ufe0f|\p{Emoji_Modifier})/u.test(text))).toEqual(
    [],
  )
  expect(messages.map(({ text }) => text).join('') === answer).toBe(true)
})

test('marks without an end above one letter are cut somewhere', () => {
  const answer = `a${'\u0301'.repeat(20_000)}`
  const { parts } = layOutMarkdown(answer, { isInterim: false })

  expect(parts.length).toBeGreaterThan(1)
  expect(parts.map(({ markdown }) => markdown).join('') === answer).toBe(true)
})
