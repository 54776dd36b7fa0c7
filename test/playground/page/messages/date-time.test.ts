import { expect, test } from 'vitest'
import { formatDateTime } from '../../../../src/playground/page/messages/text/date-time.ts'

const NOON = Date.UTC(2026, 10, 23, 12) / 1000

test.each([
  ['r', 'in 2 hours'],
  ['', undefined],
] as const)('a moment two hours from now written by %j is %j', (format, written) => {
  const now = (NOON - 7_200) * 1000

  expect(formatDateTime({ unixTime: NOON, format, language: 'en' }, now)).toBe(written)
})

test('a moment has the parts that its format names, in the language of its reader', () => {
  const write = (format: 'w' | 'D' | 'wDT', language: string) =>
    formatDateTime({ unixTime: NOON, format, language })

  expect(write('w', 'en')).toBe('Monday')
  expect(write('D', 'en')).toContain('November')
  expect(write('D', 'ru')).toContain('ноября')
  expect(write('wDT', 'en')).toMatch(/Monday.*November.*:00:00/)
})

test.each([
  [-30, '30 seconds ago'],
  [-300, '5 minutes ago'],
  [-86_400, 'yesterday'],
  [-86_400 * 40, 'last month'],
  [86_400 * 800, 'in 2 years'],
])('%i seconds from now is %s', (seconds, written) => {
  const at = { unixTime: NOON + seconds, format: 'r', language: 'en' } as const

  expect(formatDateTime(at, NOON * 1000)).toBe(written)
})
