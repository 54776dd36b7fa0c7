import { expect, test } from 'vitest'
import { parseRichMarkdown } from '../../../src/playground/content/parse-markdown.ts'

/** The refusal of a message, or `ok`. */
function verdictOn(markdown: string): string {
  try {
    parseRichMarkdown(markdown)
    return 'ok'
  } catch (error) {
    return (error as Error).message.replace('Bad Request: RICH_MESSAGE_', '')
  }
}

test('the text of a rich message is counted in code points, formulas with their source', () => {
  expect(verdictOn('x'.repeat(32_768))).toBe('ok')
  expect(verdictOn('x'.repeat(32_769))).toBe('TEXT_TOO_LONG')
  expect(verdictOn('😀'.repeat(32_768))).toBe('ok')
  expect(verdictOn(`**${'x'.repeat(32_768)}**`)).toBe('ok')
  expect(verdictOn(`$${'x'.repeat(32_769)}$`)).toBe('TEXT_TOO_LONG')
})

test('the blocks of a rich message are counted with list items and table rows', () => {
  expect(verdictOn('a\n\n'.repeat(500))).toBe('ok')
  expect(verdictOn('a\n\n'.repeat(501))).toBe('BLOCKS_TOO_MANY')
  expect(verdictOn('- a\n'.repeat(249))).toBe('ok')
  expect(verdictOn('- a\n'.repeat(250))).toBe('BLOCKS_TOO_MANY')
  expect(verdictOn(`|a|\n|-|\n${'|a|\n'.repeat(498)}`)).toBe('ok')
  expect(verdictOn(`|a|\n|-|\n${'|a|\n'.repeat(499)}`)).toBe('BLOCKS_TOO_MANY')
})

test('the formatted runs of a rich message have a limit of their own', () => {
  expect(verdictOn('`a` '.repeat(5_849))).toBe('ok')
  expect(verdictOn('`a` '.repeat(5_850))).toBe('TOO_LARGE')
})
