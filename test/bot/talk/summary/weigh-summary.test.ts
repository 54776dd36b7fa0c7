import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../../../src/bot/talk/conversation/history.ts'
import { weighSummary } from '../../../../src/bot/talk/summary/weigh-summary.ts'

/** Prices in roubles for a million tokens in and out. */
const PRICES: Record<string, [prompt: number, completion: number, contextTokens: number]> = {
  large: [150, 600, 1_000_000],
  small: [15, 60, 1_000_000],
  tiny: [1, 4, 8_000],
}

test('a summary pays where each message saves a rouble and three messages what it costs', () => {
  // A rouble buys 6,667 tokens; the summary itself is taken for 500.
  expect(weigh(7_000)).toBeUndefined()
  expect(weigh(7_300)).toMatchObject({ model: 'small' })
})

test('the figures are those of the next message, of the summary, and of a message after it', () => {
  const offer = weigh(20_000)

  expect(offer).toMatchObject({ model: 'small' })
  expect(rub(offer?.beforeMicroRub)).toBeCloseTo((20_000 * 150) / 1e6, 1)
  expect(rub(offer?.onceMicroRub)).toBeCloseTo((20_100 * 15 + 500 * 60) / 1e6, 1)
  expect(rub(offer?.afterMicroRub)).toBeCloseTo((500 * 150) / 1e6, 1)
})

test('a model is chosen whose context holds the conversation and the summary', () => {
  expect(
    weigh(6_000, { model: 'large', prices: { ...PRICES, large: [400, 600, 1e6] } })?.model,
  ).toBe('tiny')
  expect(weigh(7_500)?.model).toBe('small')
})

test('a conversation with a cheap model has nothing worth a tap', () => {
  expect(weigh(20_000, { model: 'small' })).toBeUndefined()
})

test('where only a dear model can read it, a summary that three messages do not pay is not offered', () => {
  const prices = { own: [150, 600, 1e5], dear: [600, 2400, 1e6] } as typeof PRICES

  expect(weigh(150_000, { model: 'own', prices })).toBeUndefined()
  expect(weigh(50_000, { model: 'own', prices })).toMatchObject({ model: 'own' })
})

test('no summary is offered that its own bound would cut', () => {
  expect(weigh(20_000, { maxTokens: 400 })).toBeUndefined()
})

test('a conversation has no summary before its third answer', () => {
  expect(weighHistory([entry(20_000), ANSWER, ANSWER])).toBeUndefined()
  expect(weighHistory([entry(20_000), ANSWER, ANSWER, ANSWER])).toBeDefined()
})

test('what an earlier summary left is weighed like messages', () => {
  const short = [entry(600, true), entry(2_000)]

  expect(weighHistory(short)).toBeUndefined()
  expect(weighHistory([...short, entry(10_000)])).toBeDefined()
})

const ANSWER: HistoryEntry = {
  turnId: 1n,
  isSummary: false,
  message: { role: 'assistant', content: '' },
}

function weigh(tokens: number, other: Partial<Parameters<typeof weighHistory>[1]> = {}) {
  return weighHistory([entry(tokens), ANSWER, ANSWER, ANSWER], other)
}

function weighHistory(
  history: HistoryEntry[],
  { model = 'large', maxTokens = 1000, prices = PRICES } = {},
) {
  const price = (id: string, tokens: { promptTokens: number; completionTokens: number }) => {
    const [prompt = 0, completion = 0] = prices[id] ?? []
    return BigInt(tokens.promptTokens * prompt + tokens.completionTokens * completion)
  }
  const cheapest = (tokens: Parameters<typeof price>[1], contextTokensMin: number) =>
    Object.entries(prices)
      .filter(([, [, , contextTokens]]) => contextTokens >= contextTokensMin)
      .toSorted(([one], [other]) => Number(price(one, tokens) - price(other, tokens)))[0]?.[0]
  const need = { history, systemPrompt: undefined, model, maxTokens }
  return weighSummary(need, { price, cheapest })
}

/** Makes an entry of digits, three of which are a token. */
function entry(tokens: number, isSummary = false): HistoryEntry {
  const content = '1'.repeat(tokens * 3)
  return { turnId: 1n, isSummary, message: { role: isSummary ? 'system' : 'user', content } }
}

function rub(microRub: bigint | undefined): number {
  return Number(microRub) / 1e6
}
