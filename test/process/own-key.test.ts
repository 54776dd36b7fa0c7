import { expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'
import { problemsOf } from './problems-of.ts'

const KEY = { OPENAI_API_KEY: 'sk-proj-x' }

test('readConfig() takes a key of OpenAI alone, and sells nothing until the list was read', () => {
  const { openAi, service, notes } = readConfig(KEY)

  expect(openAi).toMatchObject({ baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-proj-x' })
  expect(service.chat.models).toEqual([])
  expect(notes).toEqual([])
})

test.each<[Record<string, string>, RegExp]>([
  [{ OPENAI_API_KEY: 'sk-proj\nx' }, /^OPENAI_API_KEY: should be the key alone, in one line/],
  [{ OPENAI_API_KEY: '"sk-proj-x"' }, /^OPENAI_API_KEY: should be the key alone/],
  [
    { OPENAI_API_KEY: 'sk-or-v1-x' },
    /^OPENAI_API_KEY: is a key of OpenRouter, set OPENAI_BASE_URL=https:\/\/openrouter\.ai\/api\/v1$/,
  ],
  [
    { ...KEY, OPENAI_BASE_URL: 'https://openrouter.ai/api/v1' },
    /^OPENAI_API_KEY: is a key of OpenAI, leave OPENAI_BASE_URL out$/,
  ],
  ...[
    'openrouter.ai',
    'https://user:password@llm.example.com/v1',
    'https://example.openai.azure.com/openai?api-version=1',
  ].map((OPENAI_BASE_URL): [Record<string, string>, RegExp] => [
    { ...KEY, OPENAI_BASE_URL },
    /^OPENAI_BASE_URL: should be/,
  ]),
  [
    { OPENAI_BASE_URL: 'https://openrouter.ai/api/v1' },
    /^OPENAI_API_KEY: should be set for openrouter\.ai$/,
  ],
  [{ OPENAI_MODELS: 'a' }, /^OPENAI_MODELS: needs OPENAI_API_KEY or OPENAI_BASE_URL$/],
  ...['a,,b', 'a,a', 'a b', ','].map((OPENAI_MODELS): [Record<string, string>, RegExp] => [
    { ...KEY, OPENAI_MODELS },
    /^OPENAI_MODELS: should be/,
  ]),
  ...['a=-1/2', 'a=2e-7/1', 'a=1/1.0000001', 'a=1', 'a=1/2/3'].map(
    (OPENAI_PRICES): [Record<string, string>, RegExp] => [
      { ...KEY, OPENAI_PRICES },
      /^OPENAI_PRICES: should be/,
    ],
  ),
  ...['0', '0.0', '-1', '8e1'].map((USD_RUB): [Record<string, string>, RegExp] => [
    { ...KEY, USD_RUB },
    /^USD_RUB: should be the roubles that a dollar costs, above 0/,
  ]),
])('readConfig() refuses %j', (env, problem) => {
  expect(problemsOf(env)).toEqual([expect.stringMatching(problem)])
})

test('readConfig() reads what is offered beside a key, each number exactly', () => {
  const { openAi } = readConfig({
    ...KEY,
    OPENAI_BASE_URL: 'https://api.openai.com/v1/chat/completions',
    OPENAI_MODELS: ' b , a:free',
    OPENAI_PRICES: 'a/b:c=0.25/0.000001, d=e=free',
    USD_RUB: '95.5',
  })

  expect(openAi).toEqual({
    baseUrl: 'https://api.openai.com/v1',
    apiKey: 'sk-proj-x',
    models: ['b', 'a:free'],
    prices: new Map([
      ['a/b:c', { prompt: 250_000n, completion: 1n }],
      ['d=e', { prompt: 0n, completion: 0n }],
    ]),
    usdRate: { microRub: 95_500_000n, from: 'USD_RUB' },
  })
})

test('readConfig() wants no key for a local upstream', () => {
  const { openAi } = readConfig({ OPENAI_BASE_URL: 'http://localhost:11434/v1/' })

  expect(openAi).toMatchObject({ baseUrl: 'http://localhost:11434/v1', apiKey: undefined })
})

test('readConfig() notes what it does not use, and what goes open', () => {
  const file = JSON.stringify({ chat: { models: [DEMO_MODEL] } })
  const withFile = { ...KEY, OPENAI_MODELS: 'a', USD_RUB: '90', SERVICE_CONFIG: 'service.json' }
  const { openAi, notes } = readConfig(withFile, [], () => file)
  const open = readConfig({
    ...KEY,
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: 'http://llm.example.com',
  })

  expect(openAi).toBeUndefined()
  expect(notes).toEqual(['SERVICE_CONFIG says what is sold: OPENAI_MODELS is not used'])
  expect(open.notes).toEqual([expect.stringMatching(/^OPENAI_BASE_URL: http sends the key/)])
})

const DEMO_MODEL = {
  id: 'a',
  family: 'A',
  context_tokens: 1000,
  prompt_rub_per_1m: '1',
  completion_rub_per_1m: '1',
  provider: { type: 'demo' },
}
