import { expect, test } from 'vitest'
import { parseRichMarkdown } from '../../../src/playground/rich/parse-markdown.ts'

/** The refusal of a message, or `ok`. */
function verdictOn(markdown: string): string {
  try {
    parseRichMarkdown(markdown)
    return 'ok'
  } catch (error) {
    return (error as Error).message.replace('Bad Request: RICH_MESSAGE_', '')
  }
}

test('an empty rich message, and one that shows nothing, are refused', () => {
  expect(verdictOn('')).toBe('MARKDOWN_INVALID')
  expect(verdictOn(' \n')).toBe('MARKDOWN_INVALID')
  expect(verdictOn('[a]: https://t.me')).toBe('MARKDOWN_INVALID')
  expect(verdictOn('#')).toBe('CONTENT_REQUIRED')
  expect(verdictOn('```js')).toBe('CONTENT_REQUIRED')
  expect(verdictOn('1. a\n2.')).toBe('CONTENT_REQUIRED')
})

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

test('a rich message may have 16 levels, not 17', () => {
  const details = (count: number) =>
    `${'<details><summary>a</summary>'.repeat(count)}b${'</details>'.repeat(count)}`

  expect(verdictOn(`${'> '.repeat(16)}x`)).toBe('ok')
  expect(verdictOn(`${'> '.repeat(17)}x`)).toBe('DEPTH_INVALID')
  expect(verdictOn(`${'> '.repeat(16)}**x**`)).toBe('DEPTH_INVALID')
  expect(verdictOn(details(15))).toBe('ok')
  expect(verdictOn(details(16))).toBe('DEPTH_INVALID')
})

test('a table in a rich message has 20 columns at most', () => {
  const table = (columns: number) => `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}`

  expect(verdictOn(table(20))).toBe('ok')
  expect(verdictOn(table(21))).toBe('TABLE_COLS_TOO_MANY')
})

test('the formatted runs of a rich message have a limit of their own', () => {
  expect(verdictOn('`a` '.repeat(5_849))).toBe('ok')
  expect(verdictOn('`a` '.repeat(5_850))).toBe('TOO_LARGE')
})
