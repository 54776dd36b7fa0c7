import { expect, test } from 'vitest'
import { PLAIN_CSV, writeCsvLine } from '../../src/contract/csv.ts'

test('a line has what spreadsheets read: numbers bare, roubles exact, null as nothing', () => {
  const line = writeCsvLine(
    ['shop', 12, 12n, true, { microRub: 1_500_001n }, null, { microRub: -1n }],
    PLAIN_CSV,
  )

  expect(line).toBe('shop,12,12,true,1.500001,,-0.000001\r\n')
})

test('a text keeps its commas, quotes and lines in one cell', () => {
  expect(writeCsvLine(['a,b', 'say "no"', 'two\nlines', ''], PLAIN_CSV)).toBe(
    '"a,b","say ""no""","two\nlines",\r\n',
  )
})

// Promise: A name of an account or a key is a formula
test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1+1'])(
  'the text %j is no formula to a spreadsheet',
  (text) => {
    expect(writeCsvLine([text], PLAIN_CSV).replace(/^"/, '')).toMatch(/^'/)
  },
)
