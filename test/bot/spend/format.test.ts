import { expect, test } from 'vitest'
import { formatMoney } from '../../../src/bot/spend/format.ts'

test.each([
  [12_340_000n, '₽12.34', '12,34 ₽'],
  [0n, '₽0.00', '0,00 ₽'],
  [1_234_567_891_000n, '₽1,234,567.89', '1 234 567,89 ₽'],
  [-40_000_000n, '-₽40.00', '-40,00 ₽'],
  [10_000n, '₽0.01', '0,01 ₽'],
  [9_999n, '₽0.01', '0,01 ₽'],
  [5_432n, '₽0.0054', '0,0054 ₽'],
  [120n, '₽0.00012', '0,00012 ₽'],
  [1n, '₽0.000001', '0,000001 ₽'],
  [-1n, '-₽0.000001', '-0,000001 ₽'],
])('%s micro-roubles are %s in English, %s in Russian', (microRub, english, russian) => {
  expect(formatMoney(microRub, 'en')).toBe(english)
  expect(formatMoney(microRub, undefined)).toBe(english)
  expect(formatMoney(microRub, 'ru').replaceAll('\u00a0', ' ')).toBe(russian)
})
