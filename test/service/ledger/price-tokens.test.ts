import { expect, test } from 'vitest'
import {
  type PricedTokens,
  priceAtMost,
  pricesAt,
  priceTokens,
  type TokenPrices,
} from '../../../src/service/ledger/price-tokens.ts'

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
  const tokens = { promptTokens: input, completionTokens: output }

  expect(priceTokens({ prompt, completion }, tokens)).toBe(cost)
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
  const [cachedPrompt, promptTokens, cachedTokens, cost] = row
  const prices = { prompt: 150_000_000n, completion: 600_000_000n, cachedPrompt }

  expect(priceTokens(prices, { promptTokens, cachedTokens, completionTokens: 5 })).toBe(cost)
})

const ALL: TokenPrices = {
  prompt: 100_000_000n,
  cachedPrompt: 10_000_000n,
  cacheWrite: 125_000_000n,
  completion: 500_000_000n,
  reasoning: 700_000_000n,
  tiers: [
    { abovePromptTokens: 1000, prompt: 200_000_000n, cachedPrompt: 20_000_000n, completion: 1n },
    { abovePromptTokens: 9000, prompt: 50_000_000n, completion: 900_000_000n },
  ],
}

test.each<[string, PricedTokens, bigint]>([
  [
    'each kind at its own price',
    {
      promptTokens: 1000,
      cachedTokens: 600,
      cacheWriteTokens: 300,
      completionTokens: 50,
      reasoningTokens: 40,
    },
    100n * 100n + 600n * 10n + 300n * 125n + 10n * 500n + 40n * 700n,
  ],
  [
    'one token above a size, all tokens at the tier of that size',
    { promptTokens: 1001, cachedTokens: 1000, completionTokens: 0 },
    200n + 1000n * 20n,
  ],
  [
    'above the last size, which has no price of cached input',
    { promptTokens: 9001, cachedTokens: 9000, cacheWriteTokens: 1, completionTokens: 1 },
    9001n * 50n + 900n,
  ],
])('priceTokens() counts %s', (_, tokens, cost) => {
  expect(priceTokens(ALL, tokens)).toBe(cost)
})

test('pricesAt() returns the prices of the hour', () => {
  const night = { prompt: 1n, completion: 2n, fromMinute: 60, toMinute: 90 }
  const prices = { prompt: 10n, completion: 20n, hours: [night] }
  const at = (time: string) => pricesAt(prices, new Date(`2026-11-29T${time}Z`))

  expect(['00:59:59', '01:00:00', '01:29:59', '01:30:00'].map(at)).toEqual([
    prices,
    night,
    night,
    prices,
  ])
})

test('no usage within the held tokens costs more than priceAtMost()', () => {
  for (const promptTokens of [0, 1, 999, 1000, 1001, 9000, 9001, 20_000]) {
    const held = priceAtMost(ALL, { promptTokens, completionTokens: 100 })
    for (const used of [0, 1, 1000, 1001, 9000, 9001, promptTokens]) {
      const most = Math.min(used, promptTokens)
      for (const parts of [{}, { cachedTokens: most }, { cacheWriteTokens: most }]) {
        const output = { completionTokens: 100, reasoningTokens: 100 }
        const cost = priceTokens(ALL, { promptTokens: most, ...parts, ...output })
        expect(cost).toBeLessThanOrEqual(held)
      }
    }
  }
})
