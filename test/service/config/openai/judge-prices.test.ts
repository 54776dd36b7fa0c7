import { expect, test } from 'vitest'
import { judgePrices } from '../../../../src/service/config/openai/judge-prices.ts'
import type { UsdPrices } from '../../../../src/service/config/openai/usd.ts'

const OLD: UsdPrices = { prompt: 100n, cachedPrompt: 10n, completion: 400n }
const TIERED: UsdPrices = { ...OLD, tiers: [{ ...OLD, abovePromptTokens: 1000, prompt: 200n }] }

// Promise: A price that is missing, negative or more than three times the old one does not count
test.each<[string, UsdPrices, UsdPrices | undefined, string | undefined]>([
  ['the same', OLD, OLD, undefined],
  ['a lower one', OLD, { prompt: 1n, cachedPrompt: 1n, completion: 1n }, undefined],
  ['nothing', OLD, { prompt: 0n, cachedPrompt: 0n, completion: 0n }, undefined],
  ['three times', OLD, { prompt: 300n, cachedPrompt: 30n, completion: 1200n }, undefined],
  ['a prompt above three times', OLD, { ...OLD, prompt: 301n }, 'tripled'],
  ['a cached prompt above three times', OLD, { ...OLD, cachedPrompt: 31n }, 'tripled'],
  ['an output above three times', OLD, { ...OLD, completion: 1201n }, 'tripled'],
  ['a reasoning that was not priced apart', OLD, { ...OLD, reasoning: 1201n }, 'tripled'],
  ['a price of what was free', { prompt: 0n, completion: 0n }, OLD, 'tripled'],
  ['none', OLD, undefined, 'missing'],
  ['none of cached input', OLD, { prompt: 100n, completion: 400n }, 'missing'],
  ['a tier more', OLD, TIERED, undefined],
  [
    'a tier above three times',
    OLD,
    { ...OLD, tiers: [{ ...OLD, abovePromptTokens: 5, prompt: 301n }] },
    'tripled',
  ],
  ['a tier less', TIERED, OLD, undefined],
])('judgePrices() of %s', (_, old, next, fault) => {
  expect(judgePrices(old, next)).toBe(fault)
})
