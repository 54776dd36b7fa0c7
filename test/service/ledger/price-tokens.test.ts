import { expect, test } from 'vitest'
import { priceTokens } from '../../../src/service/ledger/price-tokens.ts'

test.each([
  // Price per 1M tokens in micro-roubles, tokens, cost in micro-roubles.
  [150_000_000n, 600_000_000n, 12, 5, 4800n],
  [499_999n, 0n, 1, 0, 0n],
  [500_000n, 0n, 1, 0, 1n],
  [250_000n, 250_000n, 1, 1, 1n],
  [1n, 1n, 1_000_000, 499_999, 1n],
  [0n, 0n, 1_000_000, 1_000_000, 0n],
  [999_999_999_999_999n, 999_999_999_999_999n, 100_000_000, 0, 99_999_999_999_999_900n],
])('priceTokens(%d, %d) of %i and %i tokens is %d', (prompt, completion, input, output, cost) => {
  expect(
    priceTokens(
      { promptMicroRubPer1m: prompt, completionMicroRubPer1m: completion },
      { promptTokens: input, completionTokens: output },
    ),
  ).toBe(cost)
})

test.each([
  // Price of cached input per 1M tokens, tokens of input, those of it that were cached, cost.
  [15_000_000n, 12, 12, 3180n],
  [15_000_000n, 12, 5, 4125n],
  [0n, 12, 12, 3000n],
  [15_000_000n, 12, 0, 4800n],
  [15_000_000n, 12, undefined, 4800n],
  [undefined, 12, 12, 4800n],
  [undefined, 12, Number.NaN, 4800n],
  // 0.5 micro-roubles are rounded up once, in the sum.
  [149_500_000n, 12, 1, 4800n],
  [149_499_999n, 12, 1, 4799n],
])('at a price of %s of cached input %i tokens, of which %s were cached, cost %d', (...row) => {
  const [cachedPromptMicroRubPer1m, promptTokens, cachedTokens, cost] = row
  const prices = { promptMicroRubPer1m: 150_000_000n, completionMicroRubPer1m: 600_000_000n }

  const usage = { promptTokens, cachedTokens, completionTokens: 5 }

  expect(priceTokens({ ...prices, cachedPromptMicroRubPer1m }, usage)).toBe(cost)
})
