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
          deadlineMs: 3_600_000,
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

const LABELS: Record<string, string> = {
  'videos/vidgen-generate': 'vidgen-720p-5s',
  'images/imagegen-generate': 'imagegen',
  'sounds/soundgen-generate': 'soundgen',
}
const RELAY = { type: 'relay', base_url: 'http://127.0.0.1:9001/api/v1', api_key_env: 'RELAY_KEY' }
const OPENAI = { type: 'openai', base_url: 'http://127.0.0.1:9000/v1', model: 'upstream' }
const KEYS = { RELAY_KEY: 'relay secret', RUNWAY_KEY: 'runway secret', UPSTREAM_API_KEY: 'secret' }

test.each<[string, object, object]>([
  [
    'videos/vidgen-generate',
    RELAY,
    { type: 'relay', baseUrl: RELAY.base_url, apiKey: 'relay secret' },
  ],
  [
    'videos/vidgen-generate',
    { type: 'runway', api_key_env: 'RUNWAY_KEY', model: 'gen4.5' },
    {
      type: 'runway',
      baseUrl: 'https://api.dev.runwayml.com',
      apiKey: 'runway secret',
      model: 'gen4.5',
    },
  ],
  [
    'images/imagegen-generate',
    RELAY,
    { type: 'relay', baseUrl: RELAY.base_url, apiKey: 'relay secret' },
  ],
  [
    'images/imagegen-generate',
    { ...OPENAI, api_key_env: 'UPSTREAM_API_KEY', sizes: { '16:9': '1792x1024' } },
    {
      type: 'openai',
      baseUrl: OPENAI.base_url,
      apiKey: 'secret',
      model: 'upstream',
      sizes: { '16:9': '1792x1024' },
    },
  ],
  [
    'sounds/soundgen-generate',
    OPENAI,
    { type: 'openai', baseUrl: OPENAI.base_url, model: 'upstream', voice: 'alloy' },
  ],
])('parseServiceConfig() reads for %s the provider %o', (name, provider, expected) => {
  const label = LABELS[name] ?? ''
  const endpoint = { prices_rub: { [label]: '7' }, deadline_minutes: 20, provider }

  const parsed = parseServiceConfig({ ...WHOLE, generation: { [name]: endpoint } }, KEYS)

  expect(parsed).toMatchObject({
    ok: true,
    config: {
      generation: {
        [name]: {
          pricesMicroRub: new Map([[label, 7_000_000n]]),
          deadlineMs: 1_200_000,
          provider: expected,
        },
      },
    },
  })
})

test.each<[string, object, string[]]>([
  ['videos/vidgen-generate', { type: 'relay' }, ['base_url', 'api_key_env']],
  [
    'videos/vidgen-generate',
    { type: 'runway', base_url: 'ftp://x', api_key_env: 'MISSING' },
    ['base_url', 'model', 'api_key_env'],
  ],
  [
    'images/imagegen-generate',
    { type: 'openai', sizes: { '4:3': 'x' } },
    ['base_url', 'model', 'sizes.4:3'],
  ],
  ['sounds/soundgen-generate', { ...OPENAI, voice: '', sizes: {} }, ['voice', 'sizes']],
])(
  'parseServiceConfig() tells for %s what is wrong with the provider %o',
  (name, provider, fields) => {
    const endpoint = { prices_rub: { [LABELS[name] ?? '']: '7' }, provider }

    const parsed = parseServiceConfig({ ...WHOLE, generation: { [name]: endpoint } }, ENV)

    const problems = parsed.ok ? [] : parsed.problems
    expect(problems.map((problem) => problem.split(': ')[0]).sort()).toEqual(
      fields.map((field) => `generation.${name}.provider.${field}`).sort(),
    )
  },
)

test.each([
  [null, ['the file: an object with chat and generation, perhaps storage']],
  [[], ['the file: an object with chat and generation, perhaps storage']],
  [{}, ['chat: an object with the list models']],
  [{ chat: null }, ['chat: an object with the list models']],
  [{ chat: { models: [] } }, ['chat.models: a list of at least one model']],
  [{ chat: { models: [null] } }, ['chat.models[0]: an object that describes a model']],
])('parseServiceConfig() of %j is a problem, not a crash', (json, problems) => {
  expect(parseServiceConfig(json, ENV)).toEqual({ ok: false, problems })
})

const STORAGE = {
  type: 's3',
  bucket: 'results',
  endpoint: 'https://s3.example.org',
  access_key_id_env: 'S3_ID',
  secret_access_key_env: 'S3_SECRET',
}

test('parseServiceConfig() reads where results are kept', () => {
  const storage = { ...STORAGE, public_url: 'https://cdn.example.org/' }

  const parsed = parseServiceConfig({ ...WHOLE, storage }, { ...ENV, S3_ID: 'id', S3_SECRET: 's' })

  expect(parsed.ok && parsed.config.storage).toEqual({
    type: 's3',
    bucket: 'results',
    endpoint: 'https://s3.example.org',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 's',
    publicUrl: 'https://cdn.example.org',
  })
})

test('parseServiceConfig() tells what is wrong with the storage', () => {
  const storage = { ...STORAGE, type: 'ftp', bucket: 'A/B', endpoint: undefined, region: '' }

  const parsed = parseServiceConfig({ ...WHOLE, storage }, { ...ENV, S3_ID: 'id' })

  expect(parsed.ok ? [] : [...parsed.problems].sort()).toEqual([
    'storage.bucket: the name of a bucket',
    'storage.endpoint: an http or https URL',
    'storage.region: the name of a region',
    'storage.secret_access_key_env: the name of an environment variable that is set',
    'storage.type: a known storage type: s3',
  ])
})

test('a key is never part of a problem', () => {
  const parsed = parseServiceConfig({ ...WHOLE, secret: 'sk-1' }, { UPSTREAM_API_KEY: 'sk-2' })

  expect(JSON.stringify(parsed)).not.toMatch(/sk-/)
})

test('builtInServiceConfig() has seven models in three families, and makes everything', () => {
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
  const prices = Object.values(generation).map(({ pricesMicroRub }) => [...pricesMicroRub])
  expect(prices).toEqual([
    [
      ['vidgen-720p-5s', 40_000_000n],
      ['vidgen-720p-10s', 80_000_000n],
      ['vidgen-1080p-5s', 70_000_000n],
    ],
    [['imagegen', 5_000_000n]],
    [['soundgen', 3_000_000n]],
  ])
})
