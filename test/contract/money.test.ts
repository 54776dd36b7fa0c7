import { expect, test } from 'vitest'
import {
  formatRub,
  fromWireRub,
  PLAIN_CSV,
  parseRub,
  toWireRub,
  writeCsvLine,
} from '../../src/contract/money.ts'

test.each([
  ['0', 0n],
  ['150', 150_000_000n],
  ['0.000001', 1n],
  ['-2.5', -2_500_000n],
  ['999999999999.999999', 999_999_999_999_999_999n],
])('parseRub(%j) is exact', (text, microRub) => {
  expect(parseRub(text)).toBe(microRub)
})

test.each(['', ' 1', '1,5', '1e3', '0.0000001', '١'])(
  'parseRub(%j) refuses what is no decimal of at most six digits after the point',
  (text) => {
    expect(parseRub(text)).toBeUndefined()
  },
)

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [-1n, '-0.000001'],
  [1_500_000n, '1.5'],
  [-40_000_000n, '-40'],
])('formatRub(%d) has no trailing zeros and reads back', (microRub, text) => {
  expect(formatRub(microRub)).toBe(text)
  expect(parseRub(text)).toBe(microRub)
})

test('the wire carries every micro-rouble up to 4 billion roubles', () => {
  const samples = [1n, 3n, 999_999n, 1_000_001n, 123_456_789_012n, 3_999_999_999_999_999n]

  expect(samples.map((microRub) => fromWireRub(toWireRub(microRub)))).toEqual(samples)
})

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

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1+1'])(
  'the text %j is no formula to a spreadsheet',
  (text) => {
    expect(writeCsvLine([text], PLAIN_CSV).replace(/^"/, '')).toMatch(/^'/)
  },
)
