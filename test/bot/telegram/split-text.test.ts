import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitText, type TextPart } from '../../../src/bot/telegram/split-text.ts'

const CHARS_MAX = 120

/** Texts of everything that a cut can meet: fences open and closed, long words, pairs, blank lines. */
const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    ' ',
    '```',
    '```ts\n',
    '\n```\n',
    '~~~~\n',
    '```a`b\n',
    '`',
    '  ```\n',
  ),
  fc.constantFrom(
    'word ',
    'Слово ',
    '👋🏽',
    '👩‍👩‍👧',
    'x'.repeat(70),
    'line\n',
    'a sentence of words. ',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const source = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(''))

describe('splitText()', () => {
  test('leaves a short text whole', () => {
    expect(splitText('Hello,\n\nworld')).toEqual([
      { start: 0, end: 13, text: 'Hello,\n\nworld', cutsLine: false },
    ])
  })

  test('makes no message of blanks', () => {
    expect(splitText(' \n\n ')).toEqual([])
  })

  test('cuts between paragraphs rather than lines', () => {
    const text = `${'a'.repeat(70)}\n\n${'b'.repeat(20)}\n${'c'.repeat(60)}`

    expect(texts(text)).toEqual(['a'.repeat(70), `${'b'.repeat(20)}\n${'c'.repeat(60)}`])
  })

  test('cuts between lines rather than words', () => {
    const text = `${'a '.repeat(40)}\n${'b '.repeat(40)}`

    expect(texts(text)).toEqual(['a '.repeat(40).trim(), 'b '.repeat(40).trim()])
  })

  test('cuts between words rather than inside one', () => {
    expect(texts('word '.repeat(30))).toEqual(['word '.repeat(24).trim(), 'word '.repeat(6).trim()])
  })

  test('cuts a word that is longer than a message', () => {
    expect(texts('x'.repeat(250))).toEqual(['x'.repeat(120), 'x'.repeat(120), 'x'.repeat(10)])
  })

  test('keeps both halves of a surrogate pair together', () => {
    expect(texts(`x${'👋'.repeat(100)}`)).toEqual([`x${'👋'.repeat(59)}`, '👋'.repeat(41)])
  })

  test('moves a fence that fits into one message to the next as a whole', () => {
    const fence = `\`\`\`ts\n${'code()\n'.repeat(12)}\`\`\``

    expect(texts(`${'Before it. '.repeat(5)}\n${fence}`)).toEqual([
      'Before it. '.repeat(5).trim(),
      fence,
    ])
  })

  test('closes a fence that is longer than a message and opens it again with its language', () => {
    const lines = Array.from({ length: 16 }, (_, index) => `  call(${100 + index})`)
    const text = `\`\`\`ts\n${lines.join('\n')}\n\`\`\`\nAfter it.`

    expect(texts(text)).toEqual([
      `\`\`\`ts\n${lines.slice(0, 8).join('\n')}\n\`\`\``,
      `\`\`\`ts\n${lines.slice(8).join('\n')}\n\`\`\`\nAfter it.`,
    ])
  })

  test('shows every character once, in parts that follow each other and fit', async () => {
    await fc.assert(
      fc.property(source, (text) => {
        const parts = splitText(text, { charsMax: CHARS_MAX })

        expect(parts.map(({ start }) => start)).toEqual([
          ...(parts.length > 0 ? [0] : []),
          ...parts.slice(0, -1).map(({ end }) => end),
        ])
        expect(text.slice(parts.at(-1)?.end ?? 0).trim()).toBe('')
        for (const [index, part] of parts.entries()) {
          expect(part.text.length).toBeLessThanOrEqual(CHARS_MAX)
          expect(part.text.trim()).not.toBe('')
          expect(withoutAddedLines(part, parts[index - 1]).trim()).toBe(
            text.slice(part.start, part.end).trim(),
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  test('never parts a surrogate pair', async () => {
    await fc.assert(
      fc.property(source, (text) => {
        const wellFormed = text.toWellFormed()

        const parts = splitText(wellFormed, { charsMax: CHARS_MAX })

        expect(parts.every((part) => part.text.isWellFormed())).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('leaves all parts but the last where they are while the text grows', async () => {
    await fc.assert(
      fc.property(source, fc.nat(), (text, seed) => {
        const shorter = text.slice(0, seed % (text.length + 1))

        const before = splitText(shorter, { charsMax: CHARS_MAX })
        const after = splitText(text, { charsMax: CHARS_MAX })

        expect(after.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1))
      }),
      { numRuns: 1000 },
    )
  })

  test('goes on behind a part as if it had cut the whole text', async () => {
    await fc.assert(
      fc.property(source, fc.nat(), (text, seed) => {
        const parts = splitText(text, { charsMax: CHARS_MAX })
        const index = parts.length === 0 ? 0 : seed % parts.length
        const after = parts[index]
        if (after === undefined || after.end === text.length) return

        expect(splitText(text, { charsMax: CHARS_MAX, after })).toEqual(parts.slice(index + 1))
      }),
      { numRuns: 300 },
    )
  })

  test('keeps the fences of every part in pairs', async () => {
    const code = fc.array(fc.constantFrom('a()\n', 'if (b) {\n', '\n', '  c()\n'), {
      maxLength: 60,
    })
    const block = fc
      .tuple(fc.constantFrom('text.\n\n', ''), code)
      .map(([text, lines]) => `${text}\`\`\`js\n${lines.join('')}\`\`\`\n`)
    await fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
        const parts = splitText(blocks.join(''), { charsMax: CHARS_MAX })

        for (const { text } of parts) expect((text.match(/^```/gm) ?? []).length % 2).toBe(0)
      }),
      { numRuns: 300 },
    )
  })
})

function texts(text: string): string[] {
  return splitText(text, { charsMax: CHARS_MAX }).map((part) => part.text)
}

function withoutAddedLines({ text, fence }: TextPart, before: TextPart | undefined): string {
  const opening = before?.fence ? `${before.fence.opening}\n` : ''
  const closing = fence ? `\n${fence.closing}` : ''
  expect(text.startsWith(opening)).toBe(true)
  expect(text.endsWith(closing)).toBe(true)
  return text.slice(opening.length, text.length - closing.length)
}
