import { expect, test } from 'vitest'
import { formatMarkdown } from '../../../../src/bot/rich-text/format-markdown.ts'
import { layOutMarkdown } from '../../../../src/bot/rich-text/lay-out-markdown.ts'
import { maskCostly } from '../../../../src/bot/rich-text/parse/mask-costly.ts'
import { findRefusals, lettersOf } from '../server-rules.ts'

function countSigns(source: string, sign: string): number {
  return maskCostly(source).split(sign).length - 1
}

test.each([
  { signs: '**a ', sign: '**', max: 800 },
  { signs: '_a*', sign: '_', max: 800 },
  { signs: 'a~~', sign: '~~', max: 200 },
  { signs: 'a]', sign: ']', max: 400 },
  { signs: '[a](', sign: '[', max: 400 },
  { signs: 'a<?', sign: '<', max: 300 },
  { signs: '> ', sign: '>', max: 32 },
  { signs: '- ', sign: '-', max: 32 },
  { signs: '1. ', sign: '.', max: 32 },
])('of "$signs" without an end at most $max go to the parser', ({ signs, sign, max }) => {
  for (const text of [signs.repeat(3000), `${signs.repeat(2000)}\n${signs}`]) {
    expect(countSigns(text, sign)).toBeLessThanOrEqual(max + 1)
    expect(maskCostly(text)).toHaveLength(text.length)
  }
})

test('the text around too many signs keeps its formatting', () => {
  const many = '_a*'.repeat(1500)
  const { text, entities } = formatMarkdown(`**before**\n\n${many}\n\n**after**`)

  expect(text).toContain('before')
  expect(text.replaceAll('\u{fdd0}', '').length).toBe(text.length)
  const bold = entities.filter(({ type }) => type === 'bold')
  const bolds = bold.map(({ offset, length }) => text.slice(offset, offset + length))
  expect([bolds.at(0), bolds.at(-1)]).toEqual(['before', 'after'])
})

test('code with very many signs is left as it is', () => {
  const code = 'a_b * c[d] < e\n'.repeat(290)
  const { parts } = layOutMarkdown(`\`\`\`c\n${code}\`\`\``, { isInterim: false })

  expect(parts.map(({ markdown }) => markdown.split('\n').slice(1, -1).join('\n'))).toEqual([
    code.trimEnd(),
  ])
})

test('a line of dashes or digits is no nest of lists', () => {
  for (const line of ['-'.repeat(300), '3'.repeat(300), '='.repeat(300)]) {
    expect(maskCostly(line)).toBe(line)
  }
})

test.each([
  ...['**a ', '_a*', '*a_ ', '**a** b\n', 'a~~', '~~a~~ ', '`', 'a`b ', '&', '|a', '\\(a', '\\[\n'],
  ...[']', '[a', '[a](', '[a] ', '![a](', '[^a]', '[a@b.c ', '<u>', '<a ', 'a<?', '<![CDATA['],
  ...['> ', '- ', '1. ', '- a\n', '[^a]: b\n', 'a\r', '$a'],
])(
  'very many %j are shown whole, growing and in the end',
  (signs) => {
    // More of each than goes to the parser.
    const source = `${signs.repeat(Math.floor(3600 / signs.length))}end`
    for (const isInterim of [true, false]) {
      const { parts } = layOutMarkdown(source, { isInterim })

      for (const part of parts) expect(findRefusals(part.markdown)).toEqual([])
      if (isInterim) continue
      const letters = parts.map((part) => lettersOf(part.markdown)).join('')
      expect(letters.endsWith('end')).toBe(true)
      expect(letters.length).toBeGreaterThanOrEqual(source.match(/a/g)?.length ?? 0)
    }
  },
  // Half a second each; what grows with the square of the signs takes many minutes.
  120_000,
)

test('carriage returns end lines too: a message shows no more of them than of others', () => {
  const { parts } = layOutMarkdown('a\r'.repeat(3000), { isInterim: false })

  expect(parts).toHaveLength(10)
  expect(parts.map((part) => lettersOf(part.markdown)).join('')).toBe('a'.repeat(3000))
})

test('a carriage return at the end of a growing text waits for its partner', () => {
  const whole = layOutMarkdown('a\r\nb\r\n\r\nc', { isInterim: false })
  const begun = layOutMarkdown('a\r\nb\r', { isInterim: true })

  expect(layOutMarkdown('a\r\nb\r\n\r\nc', { after: begun, isInterim: false })).toEqual(whole)
  expect(whole.parts.map(({ markdown }) => markdown)).toEqual(['a  \nb\n\nc'])
})
