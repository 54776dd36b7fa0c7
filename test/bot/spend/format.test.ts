import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isShown } from '../../../src/bot/spend/cost-notes.ts'
import { formatMoney, formatSum } from '../../../src/bot/spend/format.ts'

test.each([
  [12_340_000n, '₽12.34', '12,34 ₽'],
  [1_234_567_891_000n, '₽1,234,567.89', '1 234 567,89 ₽'],
  [-40_000_000n, '-₽40.00', '-40,00 ₽'],
  [9_999n, '<₽0.01', '<0,01 ₽'],
  [-1n, '-<₽0.01', '-<0,01 ₽'],
])('%s micro-roubles are %s in English, %s in Russian', (microRub, english, russian) => {
  expect(formatMoney(microRub, 'en')).toBe(english)
  expect(formatMoney(microRub, undefined)).toBe(english)
  expect(formatMoney(microRub, 'ru').replaceAll('\u00a0', ' ')).toBe(russian)
})

test.each([
  [[3_333_333n, 3_333_333n, 3_333_334n], ['₽3.33', '₽3.33', '₽3.34'], '₽10.00'],
  [[1_004_000n, 1_004_000n, 1_004_000n], ['₽1.01', '₽1.00', '₽1.00'], '₽3.01'],
  [[1_000_000n, 4_000n, 0n], ['₽1.00', '<₽0.01', '₽0.00'], '₽1.00'],
  [[40_000_000n, -40_000_000n], ['₽40.00', '-₽40.00'], '₽0.00'],
  [[-1_005_000n, -1_005_000n], ['-₽1.00', '-₽1.01'], '-₽2.01'],
  [[4_000n, 5_000n], ['<₽0.01', '<₽0.01'], '<₽0.01'],
])('the lines %s are shown as %s, and their sum as %s', (amounts, lines, sum) => {
  expect(formatSum(amounts, 'en')).toEqual({ lines, sum })
})

test('lines of any amounts add up as they are shown', () => {
  const amounts = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })

  fc.assert(
    fc.property(fc.array(amounts, { maxLength: 30 }), (given) => {
      const { lines, sum } = formatSum(given, 'en')

      expect(lines.map(shownMicroRub).reduce((total, one) => total + one, 0n)).toBe(
        shownMicroRub(sum),
      )
      for (const [index, line] of lines.entries()) {
        const off = shownMicroRub(line) - (given[index] ?? 0n)
        expect(off < 10_000n && off > -10_000n).toBe(true)
      }
    }),
  )
})

/** Reads the micro-roubles that an amount shows: less than a kopeck is none. */
function shownMicroRub(shown: string): bigint {
  if (shown.includes('<')) return 0n
  const [, minus, whole = '', fraction = ''] = /^(-?)₽([\d,]+)\.(\d+)$/.exec(shown) ?? []
  const microRub = BigInt(whole.replaceAll(',', '') + fraction.padEnd(6, '0'))
  return minus === '-' ? -microRub : microRub
}

test.each([
  [5_000_000n, 5_000_000n, true],
  [4_999_999n, 5_000_000n, false],
  [0n, 0n, false],
] as const)('a cost of %s is shown from %s on: %s', (amountMicroRub, note, shown) => {
  expect(isShown(amountMicroRub, note)).toBe(shown)
})
