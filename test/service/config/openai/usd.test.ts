import { expect, test } from 'vitest'
import {
  parseUsd,
  readUsdPerToken,
  toMicroRubPer1m,
} from '../../../../src/service/config/openai/usd.ts'

test.each([
  ['0.25', 250_000n],
  ['15', 15_000_000n],
  ['0', 0n],
  ['0.000001', 1n],
  ['100000', 100_000_000_000n],
])('parseUsd() reads %s exactly', (text, microUsd) => {
  expect(parseUsd(text)).toBe(microUsd)
})

test.each(['-1', '2e-7', '', ' ', '0,25', '1/2', '.5', '100001', '1.0000001', 'NaN'])(
  'parseUsd() refuses %j',
  (text) => {
    expect(parseUsd(text)).toBeUndefined()
  },
)

test.each<[unknown, bigint]>([
  ['0.00000025', 250_000n],
  ['2.5e-7', 250_000n],
  [2.5e-7, 250_000n],
  [0.000002, 2_000_000n],
  ['0', 0n],
])('readUsdPerToken() reads %j', (listed, microUsd) => {
  expect(readUsdPerToken(listed)).toBe(microUsd)
})

// OpenRouter lists -1 for what varies: it is no price, and surely not nothing.
test.each(['-1', -1, null, undefined, '', 'free', {}, Number.NaN, Number.POSITIVE_INFINITY, '1e9'])(
  'readUsdPerToken() takes %j for no price',
  (listed) => {
    expect(readUsdPerToken(listed)).toBeUndefined()
  },
)

test('toMicroRubPer1m() rounds half up', () => {
  const rate = { microRub: 81_900_000n, from: '' }

  expect(toMicroRubPer1m(250_000n, rate)).toBe(20_475_000n)
  expect(toMicroRubPer1m(1n, { microRub: 500_000n, from: '' })).toBe(1n)
  expect(toMicroRubPer1m(1n, { microRub: 499_999n, from: '' })).toBe(0n)
})
