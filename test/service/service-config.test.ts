import { expect, test } from 'vitest'
import { builtInServiceConfig, parseServiceConfig } from '../../src/service/service-config.ts'

const ENV = { UPSTREAM_API_KEY: 'secret' }
const MODEL = {
  id: 'alpha-large',
  family: 'A',
  context_tokens: 1_000_000,
  prompt_rub_per_1m: '150',
  completion_rub_per_1m: '0.0001',
  default_max_tokens: 2048,
  provider: {
    type: 'openai',
    base_url: 'http://127.0.0.1:9000/v1',
    api_key_env: 'UPSTREAM_API_KEY',
    model: 'upstream',
  },
}
const VIDEO = {
  prices_rub: { 'vidgen-720p-5s': '40', 'vidgen-720p-10s': '80', 'vidgen-1080p-5s': '70.5' },
  provider: { type: 'demo' },
}
const WHOLE = { chat: { models: [MODEL] }, generation: { 'videos/vidgen-generate': VIDEO } }

test('parseServiceConfig() reads prices exactly and takes the key from the environment', () => {
  const parsed = parseServiceConfig(WHOLE, ENV)

  expect(parsed).toEqual({
    ok: true,
    config: {
      chat: {
        models: [
          {
            id: 'alpha-large',
            family: 'A',
            contextTokens: 1_000_000,
            promptMicroRubPer1m: 150_000_000n,
            completionMicroRubPer1m: 100n,
            defaultMaxTokens: 2048,
            provider: {
              type: 'openai',
              baseUrl: 'http://127.0.0.1:9000/v1',
              apiKey: 'secret',
              model: 'upstream',
            },
          },
        ],
      },
      generation: {
        'videos/vidgen-generate': {
          pricesMicroRub: new Map([
            ['vidgen-720p-5s', 40_000_000n],
            ['vidgen-720p-10s', 80_000_000n],
            ['vidgen-1080p-5s', 70_500_000n],
          ]),
          provider: { type: 'demo' },
        },
      },
    },
  })
})

test('parseServiceConfig() needs neither clips nor default_max_tokens', () => {
  const { default_max_tokens: _, ...model } = MODEL

  const parsed = parseServiceConfig({ chat: { models: [{ ...model, context_tokens: 1000 }] } }, ENV)

  expect(parsed).toMatchObject({
    ok: true,
    config: { chat: { models: [{ defaultMaxTokens: 1000 }] }, generation: {} },
  })
})

test('parseServiceConfig() tells every problem at once, each as its path and what it should be', () => {
  const parsed = parseServiceConfig(
    {
      chat: {
        models: [
          { ...MODEL, prompt_rub_per_1m: 150, context_tokens: 0, colour: 'red' },
          { ...MODEL, completion_rub_per_1m: '0.0000001', default_max_tokens: 2_000_000 },
          { ...MODEL, id: 'a b', provider: { type: 'magic' } },
          {
            ...MODEL,
            id: 'other',
            provider: { type: 'openai', base_url: 'ftp://x', api_key_env: 'MISSING' },
          },
        ],
      },
      generation: {
        'videos/vidgen-generate': { prices_rub: { 'vidgen-720p-5s': '-1' } },
        'videos/unknown': {},
      },
    },
    ENV,
  )

  const roubles = 'a decimal number of roubles written as a string, at most 6 places'
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? [] : [...parsed.problems].sort()).toEqual([
    'chat.models[0].colour: no known name, known are id, family, context_tokens, prompt_rub_per_1m, completion_rub_per_1m, default_max_tokens, provider',
    'chat.models[0].context_tokens: a whole number of tokens from 1 to 100000000',
    'chat.models[0].default_max_tokens: at most context_tokens',
    `chat.models[0].prompt_rub_per_1m: ${roubles}`,
    `chat.models[1].completion_rub_per_1m: ${roubles}`,
    'chat.models[1].default_max_tokens: at most context_tokens',
    'chat.models[1].id: an id that no other model has',
    'chat.models[2].id: a model id of 1 to 200 characters without spaces',
    'chat.models[2].provider.type: a known provider type: demo or openai',
    'chat.models[3].provider.api_key_env: the name of an environment variable that is set',
    'chat.models[3].provider.base_url: an http or https URL',
    "chat.models[3].provider.model: the model's name at the provider",
    `generation.videos/unknown: no known name, known are videos/vidgen-generate`,
    `generation.videos/vidgen-generate.prices_rub.vidgen-1080p-5s: ${roubles}`,
    `generation.videos/vidgen-generate.prices_rub.vidgen-720p-10s: ${roubles}`,
    `generation.videos/vidgen-generate.prices_rub.vidgen-720p-5s: ${roubles}`,
    'generation.videos/vidgen-generate.provider: an object with the type of the provider',
  ])
})

test.each([
  [null, ['the file: an object with chat and generation']],
  [[], ['the file: an object with chat and generation']],
  [{}, ['chat: an object with the list models']],
  [{ chat: null }, ['chat: an object with the list models']],
  [{ chat: { models: [] } }, ['chat.models: a list of at least one model']],
  [{ chat: { models: [null] } }, ['chat.models[0]: an object that describes a model']],
])('parseServiceConfig() of %j is a problem, not a crash', (json, problems) => {
  expect(parseServiceConfig(json, ENV)).toEqual({ ok: false, problems })
})

test('a key is never part of a problem', () => {
  const parsed = parseServiceConfig({ ...WHOLE, secret: 'sk-1' }, { UPSTREAM_API_KEY: 'sk-2' })

  expect(JSON.stringify(parsed)).not.toMatch(/sk-/)
})

test('builtInServiceConfig() has seven models in three families, and clips', () => {
  const { chat, generation } = builtInServiceConfig()

  expect(chat.models.map(({ family, contextTokens }) => `${family} ${contextTokens}`)).toEqual([
    'A 1000000',
    'A 1000000',
    'B 1000000',
    'B 1000000',
    'C 1100000',
    'C 1100000',
    'C 1100000',
  ])
  expect(generation['videos/vidgen-generate']?.pricesMicroRub.get('vidgen-1080p-5s')).toBe(
    70_000_000n,
  )
})
