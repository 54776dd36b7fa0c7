import { expect, test } from 'vitest'
import { readHeader, readRetryAfterMs } from '../../../src/platform/http/exchange.ts'

const NOW = new Date('2026-11-21T10:00:00Z')

test.each([
  ['7', 7000],
  [' 0 ', 0],
  ['1.5', 1500],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['', undefined],
  ['-1', undefined],
  ['soon', undefined],
  ['99999999999999999999', undefined],
  [undefined, undefined],
])('readRetryAfterMs() reads %j', (value, expected) => {
  expect(readRetryAfterMs({ 'retry-after': value }, NOW)).toBe(expected)
})

test("readRetryAfterMs() counts a date from the answer's own clock", () => {
  const headers = {
    date: 'Sat, 21 Nov 2026 11:00:00 GMT',
    'retry-after': 'Sat, 21 Nov 2026 11:00:02 GMT',
  }

  expect(readRetryAfterMs(headers, NOW)).toBe(2000)
})

test('readHeader() gives the first of several values', () => {
  const headers = { once: 'a', twice: ['b', 'c'] }

  expect(['once', 'twice', 'never'].map((name) => readHeader(headers, name))).toEqual([
    'a',
    'b',
    undefined,
  ])
})
