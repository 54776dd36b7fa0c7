import { expect, test } from 'vitest'
import { judgeUsage } from '../../../src/service/chat/judge-usage.ts'

/** One token costs a micro-rouble, so that tokens are amounts. */
const MODEL = {
  contextTokens: 100_000_000,
  prices: { prompt: 1_000_000n, completion: 1_000_000n },
}
/** Ten times this is a rouble above it and more. */
const LARGE_HOLD = 1_000_000n
/** A rouble above this is more than ten times as much. */
const SMALL_HOLD = 1000n

test.each([
  ['nothing', 0, 0, 0n],
  ['a rouble more than a small hold', 1000, 1_000_000, SMALL_HOLD],
  ['ten times a large hold', 4_000_000, 6_000_000, LARGE_HOLD],
  ['the whole context', 60_000_000, 40_000_000, 100_000_000n],
])('usage of %s is believed', (_, promptTokens, completionTokens, heldMicroRub) => {
  const verdict = judgeUsage({ promptTokens, completionTokens }, { model: MODEL, heldMicroRub })

  const costMicroRub = BigInt(promptTokens) + BigInt(completionTokens)
  expect(verdict).toEqual({ isBelieved: true, costMicroRub })
})

// Promise: A provider reports a usage that cannot be true: above the context, or far above the hold
test.each([
  ['a micro-rouble beyond a rouble more than a small hold', 1000, 1_000_001, SMALL_HOLD],
  ['a micro-rouble beyond ten times a large hold', 4_000_000, 6_000_001, LARGE_HOLD],
])('usage of %s is far above the hold', (_, promptTokens, completionTokens, heldMicroRub) => {
  const verdict = judgeUsage({ promptTokens, completionTokens }, { model: MODEL, heldMicroRub })

  const costMicroRub = BigInt(promptTokens) + BigInt(completionTokens)
  expect(verdict).toEqual({ isBelieved: false, reason: 'far_above_hold', costMicroRub })
})

test.each([['one token above', 60_000_000, 40_000_001]])(
  'usage %s the context is impossible, with any hold',
  (_, prompt, completion) => {
    const usage = { promptTokens: prompt, completionTokens: completion }

    const verdict = judgeUsage(usage, { model: MODEL, heldMicroRub: 10n ** 18n })

    expect(verdict).toEqual({
      isBelieved: false,
      reason: 'above_context',
      costMicroRub: BigInt(prompt) + BigInt(completion),
    })
  },
)

test.each([-1, 1.5])('%d tokens are no count', (tokens) => {
  const context = { model: MODEL, heldMicroRub: LARGE_HOLD }

  const verdicts = [
    judgeUsage({ promptTokens: tokens, completionTokens: 1 }, context),
    judgeUsage({ promptTokens: 1, completionTokens: tokens }, context),
  ]

  expect(verdicts).toEqual(Array(2).fill({ isBelieved: false, reason: 'not_a_count' }))
})

// Promise: A provider reports a usage that cannot be true: above the context, or far above the hold
test.each([
  [11, 'cached_above_prompt'],
  [-1, 'not_a_count'],
])('%d cached of 10 tokens are not believed, but where they cost what all do', (cached, reason) => {
  const usage = { promptTokens: 10, cachedTokens: cached, completionTokens: 1 }
  const cheap = { ...MODEL, prices: { ...MODEL.prices, cachedPrompt: 100_000n } }

  const verdicts = [cheap, MODEL].map((model) =>
    judgeUsage(usage, { model, heldMicroRub: SMALL_HOLD }),
  )

  expect(verdicts).toEqual([
    { isBelieved: false, reason },
    { isBelieved: true, costMicroRub: 11n },
  ])
})

test.each([
  [0, 11n],
  [10, 2n],
])('%d cached of 10 tokens are believed', (cachedTokens, costMicroRub) => {
  const usage = { promptTokens: 10, cachedTokens, completionTokens: 1 }
  const model = { ...MODEL, prices: { ...MODEL.prices, cachedPrompt: 100_000n } }

  const verdict = judgeUsage(usage, { model, heldMicroRub: SMALL_HOLD })

  expect(verdict).toEqual({ isBelieved: true, costMicroRub })
})
