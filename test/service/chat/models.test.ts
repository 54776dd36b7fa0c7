import { expect, test } from 'vitest'
import { createServedModels } from '../../../src/service/chat/models.ts'

const MODEL = {
  id: 'alpha',
  family: 'A',
  context_tokens: 1000,
  prompt_rub_per_1m: '150',
  completion_rub_per_1m: '0.0001',
  provider: { type: 'demo' },
} as const

test('createServedModels() reads prices exactly', () => {
  const models = createServedModels({ chat: { models: [MODEL] }, keys: new Map() })

  expect(models.get('alpha')).toMatchObject({
    contextTokens: 1000,
    promptMicroRubPer1m: 150_000_000n,
    completionMicroRubPer1m: 100n,
  })
})

test.each([
  { context_tokens: 1_000_000, default_max_tokens: 2048, expected: 2048 },
  { context_tokens: 1_000_000, expected: 4096 },
  { context_tokens: 1000, expected: 1000 },
])(
  'createServedModels() holds for %o tokens where a request names none',
  ({ expected, ...given }) => {
    const models = createServedModels({
      chat: { models: [{ ...MODEL, ...given }] },
      keys: new Map(),
    })

    expect(models.get('alpha')?.defaultMaxTokens).toBe(expected)
  },
)
