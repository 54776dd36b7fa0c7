import { expect, test } from 'vitest'
import { createAgainOffers } from '../../../../src/bot/talk/reply/again-offers.ts'
import type { Turn } from '../../../../src/bot/talk/turns/turn.ts'
import type { ModelInfo } from '../../../../src/contract/client/read-answers.ts'

const TURN = { model: 'alpha', answer: 'Hi.' } as Turn
const USAGE = { promptTokens: 1_000, completionTokens: 100 }

test('prices are of the same request, as the service counted it', async () => {
  const offers = offersOf([model('alpha', 150n, 600n), model('beta', 15n, 60n)])

  expect(await offers({ ...TURN, usage: USAGE })).toEqual([
    { model: 'alpha', isSame: true, costMicroRub: 210_000n },
    { model: 'beta', isSame: false, costMicroRub: 21_000n },
  ])
})

test('what the service did not count is estimated', async () => {
  const offers = offersOf([model('alpha', 150n, 600n)])

  // 500 tokens of history, and one of "Hi.".
  expect(await offers(TURN)).toEqual([{ model: 'alpha', isSame: true, costMicroRub: 75_600n }])
})

test.each([
  ['whose prices are not reported', { id: 'beta' }],
  ['that cannot read so much', { ...model('beta', 15n, 60n), contextTokens: 1_500 }],
])('another model %s is not offered', async (_which, other) => {
  const offers = offersOf([model('alpha', 150n, 600n), other])

  expect(await offers({ ...TURN, usage: USAGE })).toMatchObject([{ model: 'alpha' }])
})

test('where no model has a price others are offered without', async () => {
  const offers = offersOf([{ id: 'alpha' }, { id: 'beta' }])

  expect(await offers({ ...TURN, usage: USAGE })).toEqual([
    { model: 'alpha', isSame: true },
    { model: 'beta', isSame: false },
  ])
})

test('where nothing is known of models the one that answered is offered without a price', async () => {
  expect(await offersOf([])(TURN)).toEqual([{ model: 'alpha', isSame: true }])
})

test('the model that answered is not offered once the service has it no more', async () => {
  const offers = offersOf([model('beta', 15n, 60n)])

  expect(await offers({ ...TURN, usage: USAGE })).toMatchObject([{ model: 'beta' }])
})

test('a model that failed is not offered, and others are without their prices', async () => {
  const failed: Turn = { ...TURN, state: 'failed', errorCode: 'model_misconfigured' }
  const free = offersOf([model('alpha', 150n, 600n), { id: 'beta' }, { id: 'gamma' }])

  expect(await free(failed)).toEqual([
    { model: 'beta', isSame: false },
    { model: 'gamma', isSame: false },
  ])
  expect(await offersOf([model('alpha', 150n, 600n)])(failed)).toEqual([])
  expect(await offersOf([])(failed)).toEqual([])
  expect(await free({ ...failed, errorCode: 'unauthorized' })).toEqual([])
})

function offersOf(known: readonly ModelInfo[]) {
  const price = (id: string, tokens: { promptTokens: number; completionTokens: number }) => {
    const { promptMicroRubPer1m = 0n, completionMicroRubPer1m = 0n } =
      known.find((one) => one.id === id) ?? {}
    const { promptTokens, completionTokens } = tokens
    const sum =
      promptMicroRubPer1m * BigInt(promptTokens) +
      completionMicroRubPer1m * BigInt(completionTokens)
    return sum / 1_000_000n
  }
  const models = { known: () => known, price }
  return createAgainOffers({ models, estimatePrompt: async () => 500, maxTokens: 1_000 }).offersFor
}

function model(id: string, promptRub: bigint, completionRub: bigint): ModelInfo {
  return {
    id,
    promptMicroRubPer1m: promptRub * 1_000_000n,
    completionMicroRubPer1m: completionRub * 1_000_000n,
  }
}
