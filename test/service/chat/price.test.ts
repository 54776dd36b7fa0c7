import { expect, test } from 'vitest'
import { type Disbelief, judgeUsage } from '../../../src/service/chat/price.ts'
import type { TokenPrices } from '../../../src/service/ledger/price-tokens.ts'
import type { ProviderUsage } from '../../../src/service/providers/provider.ts'

/** One token costs a micro-rouble, so that tokens are amounts. */
const PRICES: TokenPrices = { prompt: 1_000_000n, completion: 1_000_000n }
const CACHING = { ...PRICES, cachedPrompt: 100_000n }
/** Ten times this is a rouble above it and more. */
const LARGE_HOLD = 1_000_000n
/** A rouble above this is more than ten times as much. */
const SMALL_HOLD = 1000n

type Case = [string, ProviderUsage, bigint, Disbelief | undefined, TokenPrices?]
const of = (
  promptTokens: number,
  completionTokens: number,
  parts: Partial<ProviderUsage> = {},
) => ({
  promptTokens,
  completionTokens,
  ...parts,
})

test.each<Case>([
  ['nothing', of(0, 0), 0n, undefined],
  ['a rouble more than a small hold', of(1000, 1_000_000), SMALL_HOLD, undefined],
  ['a micro-rouble more', of(1000, 1_000_001), SMALL_HOLD, 'far_above_hold'],
  ['ten times a large hold', of(4_000_000, 6_000_000), LARGE_HOLD, undefined],
  ['a micro-rouble more', of(4_000_000, 6_000_001), LARGE_HOLD, 'far_above_hold'],
  ['the whole context', of(60_000_000, 40_000_000), 10n ** 18n, undefined],
  ['a token above the context', of(60_000_000, 40_000_001), 10n ** 18n, 'above_context'],
  ['tokens below zero', of(-1, 1), LARGE_HOLD, 'not_a_count'],
  ['half a token', of(1, 1.5), LARGE_HOLD, 'not_a_count'],
  ['cached tokens', of(10, 1, { cachedTokens: 10 }), SMALL_HOLD, undefined, CACHING],
  ['more', of(10, 1, { cachedTokens: 11 }), SMALL_HOLD, 'impossible_part', CACHING],
  ['more, at no price of their own', of(10, 1, { cachedTokens: 11 }), SMALL_HOLD, undefined],
  ['less', of(10, 1, { cachedTokens: -1 }), SMALL_HOLD, 'impossible_part', CACHING],
])(
  'usage of %s (%j, %d held) is judged %s',
  (_, usage, heldMicroRub, disbelief, prices = PRICES) => {
    const model = { contextTokens: 100_000_000, prices }

    expect(judgeUsage(usage, { model, heldMicroRub })).toBe(disbelief)
  },
)
