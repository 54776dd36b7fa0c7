import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TurnCosts } from '../../../src/bot/spend/costs.ts'

const PRICES = { promptMicroRubPer1m: 150_000_000n, completionMicroRubPer1m: 600_000_000n }
const USAGE = { promptTokens: 1_000, completionTokens: 10 }

const costs = new TurnCosts({
  models: { price: () => 156_000n, pricesOf: () => PRICES, thinkingTokens: () => 0 },
  costNotes: { ofTurn: async () => 'off' },
  maxTokens: 100,
})

test('a cost that the service reported is kept with its tokens, prices and request, history separately', () => {
  const facts = { costMicroRub: 150n, usage: USAGE, requestId: 'req_1' }

  expect(
    costs.reported(facts, 'alpha', { promptTokens: 500, ownTokens: 100, historyMessages: 4 }),
  ).toEqual({
    amountMicroRub: 150n,
    estimated: false,
    usage: USAGE,
    history: { tokens: 800, messages: 4 },
    prices: PRICES,
    requestId: 'req_1',
  })
})

test.each([
  ['below zero', -1n],
  ['above a million roubles', 1_000_000_000_001n],
])('a cost %s is not believed: the usage is priced', (_what, costMicroRub) => {
  expect(costs.reported({ costMicroRub, usage: USAGE }, 'alpha')).toMatchObject({
    amountMicroRub: 156_000n,
    estimated: true,
  })
})

test('an answer may be as long as an amount pays for, and not a token longer', () => {
  const price = fc.bigInt({ min: 0n, max: 9_000_000_000n })
  const facts = { prompt: fc.nat(500_000), max: fc.integer({ min: 128, max: 100_000 }) }
  fc.assert(
    fc.property(
      fc.record({
        ...facts,
        promptPrice: price,
        price,
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      ({ prompt, max, promptPrice, price, share }) => {
        const prices = { promptMicroRubPer1m: promptPrice, completionMicroRubPer1m: price }
        const priced = new TurnCosts({
          models: {
            pricesOf: () => prices,
            thinkingTokens: () => 0,
            price: (_model, { promptTokens, completionTokens }) =>
              (BigInt(promptTokens) * promptPrice + BigInt(completionTokens) * price + 500_000n) /
              1_000_000n,
          },
          costNotes: { ofTurn: async () => 'off' },
          maxTokens: max,
        })
        const most = priced.estimate('alpha', prompt).amountMicroRub
        const least = priced.least('alpha', prompt)
        const amount = least + BigInt(Math.floor(Number(most - least) * share))

        const tokens = priced.answerTokens('alpha', prompt, amount)

        const cost = (answer: number) => priced.estimate('alpha', prompt, answer).amountMicroRub
        expect(tokens).toBeGreaterThanOrEqual(128)
        expect(cost(tokens)).toBeLessThanOrEqual(amount)
        if (tokens < max) expect(cost(tokens + 1)).toBeGreaterThan(amount)
      },
    ),
  )
})

test('an estimate has room for what the model thinks, as the hold of the service has', () => {
  const thinking = new TurnCosts({
    models: {
      price: (_model, { promptTokens, completionTokens }) =>
        BigInt(promptTokens) * 1_000_000n + BigInt(completionTokens),
      pricesOf: () => PRICES,
      thinkingTokens: () => 5_000,
    },
    costNotes: { ofTurn: async () => 'off' },
    maxTokens: 100,
  })

  expect(thinking.estimate('alpha', 4).amountMicroRub).toBe(5_000_000n + 5_100n)
})
