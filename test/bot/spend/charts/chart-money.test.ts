import { expect, test } from 'vitest'
import { formatShortRub } from '../../../../src/bot/spend/charts/chart-money.ts'

test.each([
  [0, '₽0'],
  [0.005, '₽0.005'],
  [0.5, '₽0.50'],
  [7.5, '₽7.50'],
  [60, '₽60'],
  [85.19, '₽85.19'],
  [185.19, '₽185'],
  [9999.5, '₽10,000'],
  [12_512, '₽12.5K'],
])('an amount of %d beside an axis has kopecks whole or not at all: %s', (rub, text) => {
  expect(formatShortRub(rub, 'en')).toBe(text)
})
