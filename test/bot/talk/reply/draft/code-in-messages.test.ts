import fc from 'fast-check'
import type { RichBlock } from 'grammy/types'
import { expect, test } from 'vitest'
import { createReplyLayout } from '../../../../../src/bot/talk/reply/draft/lay-out-reply.ts'
import type { Body } from '../../../../../src/bot/telegram/outbox/body.ts'
import { cleanText } from '../../../../../src/playground/content/text.ts'
import { parseRichMarkdown } from '../../../../../src/playground/rich/parse-markdown.ts'
import { plainTextOf } from '../../../../../src/playground/rich/rich-text.ts'

const FORMATTINGS = ['rich', 'entities', 'none'] as const
/** A message cannot begin with blanks where nothing is formatted: this line is in front of them. */
const GOES_ON = '…\n'

const line = fc
  .record({
    depth: fc.integer({ min: 0, max: 4 }),
    words: fc.constantFrom('', 'return x', 'if a:', 'call(some, longer, arguments)', '# note'),
  })
  .map(({ depth, words }) => (words === '' ? '' : `${'    '.repeat(depth)}${words}`))

const code = fc
  .array(line, { minLength: 700, maxLength: 900, size: 'max' })
  .map((lines) => [...lines, 'end'].join('\n'))

test.each(FORMATTINGS)('every line of code arrives as it was written (%s)', (formatting) => {
  fc.assert(
    fc.property(code, (written) => {
      const text = `\`\`\`py\n${written}\n\`\`\``

      const parts = createReplyLayout()({ text }, { formatting, isInterim: false })

      expect(parts.length).toBeGreaterThan(1)
      expect(parts.map(({ body }) => toRead(body)).join('\n')).toBe(written)
    }),
    { numRuns: 20, endOnFailure: true },
  )
})

test.each(FORMATTINGS)('the first line of code keeps its blanks (%s)', (formatting) => {
  const written = '    return x\n\n    return y'

  const [part, ...rest] = createReplyLayout()(
    { text: `\`\`\`py\n${written}\n\`\`\`` },
    { formatting, isInterim: false },
  )

  expect(rest).toEqual([])
  expect(part && toRead(part.body)).toBe(written)
})

function toRead(body: Body): string {
  if ('markdown' in body) return plainTextOf(toBlocks(body.markdown))
  const { text } = cleanText({ text: body.text, entities: body.entities ?? [] })
  return text.startsWith(GOES_ON) ? text.slice(GOES_ON.length) : text
}

function toBlocks(markdown: string): RichBlock[] {
  return parseRichMarkdown(markdown)
}
