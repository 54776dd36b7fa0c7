import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMarkdown } from '../../../src/bot/rich-text/entities.ts'
import { layOutMarkdown, type RichLayout } from '../../../src/bot/rich-text/layout.ts'
import { makeAnswer } from './answers.ts'
import { CORPUS } from './corpus.ts'
import { findRefusals, isWithin, lettersOf } from './server-rules.ts'
import { SPEC_EXAMPLES } from './spec-examples.ts'

/** `ANSWERS=50 npx vitest run …` lays out more of them. */
const COUNT = Number(process.env.ANSWERS ?? 15)
const ANSWERS = Array.from({ length: COUNT }, (_, index) => ({
  seed: index + 1,
  // Few of them are long.
  chars: 1000 + Math.round((index / (COUNT - 1)) ** 12 * 19_000),
}))

function writeParts(markdown: string): string[] {
  return layOutMarkdown(markdown, { isInterim: false }).parts.map((part) => part.markdown)
}

test.each(ANSWERS)(
  'answer $seed of about $chars characters is laid out whole',
  ({ seed, chars }) => {
    const answer = makeAnswer(seed, chars)

    const parts = writeParts(answer)

    for (const part of parts) expect(findRefusals(part)).toEqual([])
    expect(parts.map(lettersOf).join('')).toBe(lettersOf(answer))
  },
)

test.each(ANSWERS)('answer $seed only grows while it is shown', ({ seed, chars }) => {
  const answer = makeAnswer(seed, chars)
  const whole = layOutMarkdown(answer, { isInterim: false }).parts
  const letters = whole.map((part) => lettersOf(part.markdown))
  const step = Math.max(Math.floor(answer.length / 6), 3)
  let layout: RichLayout | undefined
  for (let length = 1; length < answer.length; length += step + (length % 3)) {
    layout = layOutMarkdown(answer.slice(0, length), { after: layout, isInterim: true })

    const { parts } = layout
    const last = parts.length - 1
    const shown = parts[last]?.markdown ?? ''
    expect(parts.slice(0, -1)).toEqual(whole.slice(0, last))
    expect(findRefusals(shown)).toEqual([])
    if (shown !== '…') expect(letters.slice(last).join('').startsWith(lettersOf(shown))).toBe(true)
  }

  expect(layOutMarkdown(answer, { after: layout, isInterim: false }).parts).toEqual(whole)
})

test.each([
  ...CORPUS.map(({ text }) => text),
  ...ANSWERS.map(({ seed }) => makeAnswer(seed, 3000)),
])('no letter is lost in messages of any length: %j', (answer) => {
  const [whole] = layOutMarkdown(answer, { isInterim: false, partChars: 1_000_000 }).parts
  const letters = formatMarkdown(whole?.markdown ?? '').text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  for (const partChars of [60, 150, 400, 1000]) {
    const { parts } = layOutMarkdown(answer, { isInterim: false, partChars })

    const shown = parts.map(({ markdown }) => formatMarkdown(markdown).text).join('')
    expect(isWithin(letters, shown), `parts of ${partChars}`).toBe(true)
    expect(parts.flatMap(({ markdown }) => findRefusals(markdown))).toEqual([])
  }
})

test('a text with all kinds of line ends and characters that no reader sees is laid out the same however it grew', () => {
  const piece = fc.constantFrom('a', '# b', '- c', '\r', '\n', '\r\n', '\u200b', '\u{e0041}', '😀')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), fc.integer({ min: 1, max: 4 }), (all, step) => {
      const text = all.join('')
      let layout: RichLayout | undefined
      for (let length = 1; length <= text.length; length += step) {
        const grown = text.slice(0, length)
        layout = layOutMarkdown(grown, { after: layout, isInterim: true })

        const { parts } = layOutMarkdown(grown, { after: layout, isInterim: false })
        expect(parts).toEqual(layOutMarkdown(grown, { isInterim: false }).parts)
      }
    }),
    { numRuns: 300 },
  )
})

test('a code block that is too long goes on with its fence and language', () => {
  const code = Array.from({ length: 400 }, (_, line) => `line_${line} = compute(${line})`)
  const parts = writeParts(`Intro:\n\n\`\`\`python\n${code.join('\n')}\n\`\`\`\n\nDone.`)

  expect(parts.length).toBeGreaterThan(1)
  expect(parts[0]?.endsWith('\n```')).toBe(true)
  expect(parts[1]?.startsWith('```python\nline_')).toBe(true)
  const lines = parts.flatMap((part) => part.split('\n')).filter((line) => line.startsWith('line_'))
  expect(lines).toEqual(code)
})

test('a table that is too long goes on below its header', () => {
  const rows = Array.from({ length: 280 }, (_, row) => `| row ${row} | ${'text '.repeat(10)}|`)
  const parts = writeParts(`| Name | Text |\n|:--|--:|\n${rows.join('\n')}`)

  expect(parts.length).toBeGreaterThan(1)
  for (const part of parts) {
    expect(part.startsWith('| Name | Text |\n| :-- | --: |\n| row ')).toBe(true)
    expect(findRefusals(part)).toEqual([])
  }
  expect(parts.join('\n').match(/row \d+/g)).toHaveLength(280)
})

test('a list that is too long goes on with its numbers, also inside an item', () => {
  const item = `${'Some words of an item. '.repeat(40)}\n\n   \`\`\`js\n${'   code()\n'.repeat(60)}   \`\`\``
  const parts = writeParts(Array.from({ length: 12 }, () => `1. ${item}`).join('\n'))

  const numbers = parts.flatMap((part) => part.match(/^\d+(?=\. )/gm) ?? [])
  expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => `${index + 1}`))
})

test('many short blocks stay below the number that Telegram takes', () => {
  for (const text of ['- a\n'.repeat(400), 'a\n\n'.repeat(400), '> - a\n'.repeat(400)]) {
    const parts = writeParts(text)

    for (const part of parts) expect(findRefusals(part)).toEqual([])
    expect(parts.map(lettersOf).join('')).toBe(lettersOf(text))
  }
})

test('Telegram takes every example of the specifications, and no letter of it is lost', () => {
  for (const example of SPEC_EXAMPLES) {
    const written = writeParts(example).join('\n\n')

    expect(findRefusals(written), example).toEqual([])
    expect(isWithin(lettersOf(example), lettersOf(written)), example).toBe(true)
  }
})

test('Telegram takes any text made of signs, whole and while it grows', () => {
  const sign = fc.constantFrom(
    ...'* ** _ ` ``` [ ] ( ) < > & $ $$ | || == ~~ a b я 1 <b> </b> <u> ! \\ 😀 &lt;'.split(' '),
    ...'\\( \\) \\[ \\] [^1] ](http://x.org)'.split(' '),
    ...['\n', '\n\n', ' ', '- ', '1. ', '> ', '# ', '    '],
    ...['|-|-|\n', '[^1]: ', '[a]: http://x.org'],
  )
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 30 }), (signs) => {
      const markdown = signs.join('')
      if (markdown.trim() === '') return
      const [growing] = layOutMarkdown(markdown, { isInterim: true }).parts
      expect(findRefusals(growing?.markdown ?? '')).toEqual([])
      const written = writeParts(markdown).join('\n\n')
      expect(findRefusals(written)).toEqual([])
      expect(isWithin(lettersOf(markdown), lettersOf(written))).toBe(true)
    }),
    { numRuns: 300, seed: 7 },
  )
})

test('what misleads is not laid out, and is not lost from what is recorded as shown', () => {
  const text = `a\u202eb\u202c ${'word\u200b '.repeat(4000)}end\u2069`

  const { parts } = layOutMarkdown(text, { isInterim: false })

  expect(parts.length).toBeGreaterThan(1)
  expect(parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
  expect(parts.map(({ markdown }) => markdown.trim()).join(' ')).toBe(
    `ab ${'word '.repeat(4000)}end`,
  )
})

test.each([
  ...['127.0.0.1', '127.1:8080', '2130706433', '0x7f.1', '10.0.0.5', '172.16.3.4', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '[::1]', '[::ffff:10.0.0.1]', '[fd00::1]'],
  ...['localhost:3000', 'printer.local', 'db.internal', 'nas.lan', 'a.localhost', 'router'],
])('a link to %s stands as text', (host) => {
  const url = `http://${host}/path`
  const ways = [`[here](${url})`, `<${url}>`, url, `![here](${url})`, `[here][a]\n\n[a]: ${url}`]

  for (const way of ways) {
    expect(writeParts(way).join('\n')).not.toMatch(/(?<!\\)\]\(/)
    expect(formatMarkdown(way).entities).toEqual([])
  }
})
