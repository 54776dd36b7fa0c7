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
