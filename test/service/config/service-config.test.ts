import { expect, test } from 'vitest'
import {
  builtInServiceConfig,
  parseServiceConfig,
} from '../../../src/service/config/service-config.ts'

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

test('parseServiceConfig() keeps the file as it is written, with the keys that it names', () => {
  const parsed = parseServiceConfig(WHOLE, { ...ENV, OTHER: 'not asked for' })

  expect(parsed).toEqual({
    ok: true,
    config: { ...WHOLE, keys: new Map([['UPSTREAM_API_KEY', 'secret']]) },
  })
})

test('parseServiceConfig() reports every wrong field at once, each as its path and what it should be', () => {
  const parsed = parseServiceConfig(
    {
      chat: {
        models: [
          { ...MODEL, prompt_rub_per_1m: 150, context_tokens: 0, colour: 'red' },
          { ...MODEL, completion_rub_per_1m: '0.0000001' },
          { ...MODEL, id: 'a b', provider: { type: 'magic' } },
          {
            ...MODEL,
            id: 'other',
            provider: { type: 'openai', base_url: 'ftp://x', api_key_env: 'MISSING' },
          },
        ],
      },
      generation: {
        'videos/vidgen-generate': { prices_rub: { 'vidgen-720p-5s': '-1', 'vidgen-4k-5s': '1' } },
        'images/imagegen-generate': {
          prices_rub: {},
          deadline_minutes: 0,
          provider: { type: 'runway', model: 'gen4.5' },
        },
        'sounds/soundgen-generate': { prices_rub: { soundgen: 3 }, provider: { type: 5 } },
        'videos/unknown': {},
      },
    },
    ENV,
  )

  const roubles = 'a decimal number of roubles written as a string, at most 6 places'
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? [] : [...parsed.problems].sort()).toEqual([
    'chat.models[0].colour: no known name, known are id, family, context_tokens, prompt_rub_per_1m, completion_rub_per_1m, cached_prompt_rub_per_1m, cache_write_rub_per_1m, reasoning_rub_per_1m, tiers, hours, usd_rub, price_by, default_max_tokens, thinking_tokens, provider, upstreams, cool_down_seconds',
    'chat.models[0].context_tokens: a whole number of tokens from 1 to 100000000',
    `chat.models[0].prompt_rub_per_1m: ${roubles}`,
    `chat.models[1].completion_rub_per_1m: ${roubles}`,
    'chat.models[2].id: a model id of 1 to 200 characters without spaces',
    'chat.models[2].provider.type: a known provider type: demo, openai',
    'chat.models[3].provider.api_key_env: the name of an environment variable that is set, and MISSING is not',
    'chat.models[3].provider.base_url: an http or https URL',
    "chat.models[3].provider.model: the model's name at the provider",
    'generation.images/imagegen-generate.deadline_minutes: a whole number of minutes from 1 to 1440',
    'generation.images/imagegen-generate.prices_rub: an object of prices by label: imagegen',
    'generation.images/imagegen-generate.provider.type: a known provider type: demo, relay, openai',
    `generation.sounds/soundgen-generate.prices_rub.soundgen: ${roubles}`,
    'generation.sounds/soundgen-generate.provider.type: a known provider type: demo, relay, openai',
    'generation.videos/unknown: no known name, known are videos/vidgen-generate, images/imagegen-generate, sounds/soundgen-generate',
    'generation.videos/vidgen-generate.prices_rub.vidgen-4k-5s: no known name, known are vidgen-720p-5s, vidgen-720p-10s, vidgen-1080p-5s',
    `generation.videos/vidgen-generate.prices_rub.vidgen-720p-5s: ${roubles}`,
    'generation.videos/vidgen-generate.provider: an object with the type of the provider',
  ])
})

test('parseServiceConfig() reports at once all right fields that do not fit together', () => {
  const models = [
    { ...MODEL, default_max_tokens: 2_000_000 },
    { ...MODEL, cached_prompt_rub_per_1m: '150.000001' },
  ]

  expect(parseServiceConfig({ chat: { models } }, ENV)).toEqual({
    ok: false,
    problems: [
      'chat.models[0].default_max_tokens: at most context_tokens',
      'chat.models[1].id: an id that no other model has',
      'chat.models[1].cached_prompt_rub_per_1m: at most prompt_rub_per_1m',
    ],
  })
})

test('parseServiceConfig() takes how long things are kept, in whole days', () => {
  const retention = { holds_days: 400 }

  expect(parseServiceConfig({ ...WHOLE, retention }, ENV)).toMatchObject({
    ok: true,
    config: { retention },
  })
  expect(parseServiceConfig({ ...WHOLE, retention: { media_days: 0 } }, ENV)).toEqual({
    ok: false,
    problems: ['retention.media_days: a whole number of days from 1 to 36500'],
  })
})

test.each([
  [null, ['an object with chat and generation, perhaps retention']],
  [{}, ['chat: an object with the list models']],
  [{ chat: { models: [null] } }, ['chat.models[0]: an object that describes a model']],
])('parseServiceConfig() of %j is a problem, not a crash', (json, problems) => {
  expect(parseServiceConfig(json, ENV)).toEqual({ ok: false, problems })
})

test('a key is never part of a problem', () => {
  const parsed = parseServiceConfig({ ...WHOLE, secret: 'sk-1' }, { UPSTREAM_API_KEY: 'sk-2' })

  expect(JSON.stringify(parsed)).not.toMatch(/sk-/)
})

test('builtInServiceConfig() lists seven models in three families, and makes everything', () => {
  const { keys, ...file } = builtInServiceConfig()

  expect(
    file.chat.models.map(({ family, context_tokens }) => `${family} ${context_tokens}`),
  ).toEqual([
    'A 1000000',
    'A 1000000',
    'B 1000000',
    'B 1000000',
    'C 1100000',
    'C 1100000',
    'C 1100000',
  ])
  expect(Object.values(file.generation).map(({ prices_rub }) => prices_rub)).toEqual([
    { 'vidgen-720p-5s': '40', 'vidgen-720p-10s': '80', 'vidgen-1080p-5s': '70' },
    { imagegen: '5' },
    { soundgen: '3' },
  ])
  expect(keys.size).toBe(0)
})

test('builtInServiceConfig() is what a file could say', () => {
  const { keys: _, ...file } = builtInServiceConfig()

  expect(parseServiceConfig(file, {})).toMatchObject({ ok: true })
})
