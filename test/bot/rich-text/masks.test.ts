import { expect, test } from 'vitest'
import { layOutMarkdown } from '../../../src/bot/rich-text/layout.ts'
import { findRefusals, lettersOf } from './server-rules.ts'

test.each([
  ...['_a*', '**a** b\n', 'a~~', '`', '&', '|a', '\\(a', '\\[\n', '[a](', '[^a]', '[a@b.c '],
  ...['<u>', 'a<?', '<![CDATA[', '> ', '- ', '[^a]: b\n', 'a\r', '$a'],
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
