import { expect, test } from 'vitest'
import { parseServiceConfig } from '../../../src/service/config/service-config.ts'

const MODEL = {
  id: 'alpha',
  family: 'A',
  context_tokens: 1000,
  prompt_rub_per_1m: '150',
  completion_rub_per_1m: '600',
}
const UPSTREAM = { type: 'openai', base_url: 'https://a.example.org/v1', model: 'a' }
const ENV = { KEY: 'sk-1', TIER: 'gold', LINES: 'a\nb' }

test('parseServiceConfig() takes a list of upstreams, and reads the variables that they name', () => {
  const upstreams = [
    {
      ...UPSTREAM,
      name: 'first',
      api_key_env: 'KEY',
      output_limit: 'max_completion_tokens',
      headers: { 'X-Tier': { value_env: 'TIER' }, referer: 'https://example.org' },
      body: { reasoning_effort: 'low', kept_env: 'is no variable' },
      timeouts: { connect_seconds: 1.5, first_event_seconds: 20, silence_seconds: 10 },
    },
    { ...UPSTREAM, name: 'second' },
  ]
  const model = { ...MODEL, upstreams, cool_down_seconds: 0 }

  const parsed = parseServiceConfig({ chat: { models: [model] } }, ENV)

  expect(parsed).toMatchObject({ ok: true, config: { chat: { models: [model] } } })
  expect(parsed.ok && [...parsed.config.keys.keys()]).toEqual(['KEY', 'TIER'])
})

test.each<[object, string[]]>([
  [{}, [': either a provider or a list of upstreams']],
  [
    { upstreams: [UPSTREAM, { ...UPSTREAM, model: 'b' }] },
    ['.upstreams: a name of its own for each, two are called a.example.org'],
  ],
  [
    { provider: UPSTREAM, price_by: 'cost', reasoning_rub_per_1m: '-1' },
    [
      '.reasoning_rub_per_1m: a decimal number of roubles written as a string, at most 6 places',
      '.price_by: tokens or reported',
    ],
  ],
  [
    {
      provider: UPSTREAM,
      tiers: [{ above_prompt_tokens: 0, prompt_rub_per_1m: '14', colour: 'red' }],
    },
    [
      '.tiers[0].colour: no known name, known are above_prompt_tokens, prompt_rub_per_1m, completion_rub_per_1m, cached_prompt_rub_per_1m, cache_write_rub_per_1m, reasoning_rub_per_1m',
      '.tiers[0].above_prompt_tokens: a whole number of tokens from 1 to 100000000',
    ],
  ],
  [
    {
      provider: UPSTREAM,
      hours: [
        { from_utc: '9:00', to_utc: '24:01', prompt_rub_per_1m: '1', completion_rub_per_1m: '1' },
      ],
    },
    [
      '.hours[0].from_utc: a time of day in UTC, from 00:00 to 24:00',
      '.hours[0].to_utc: a time of day in UTC, from 00:00 to 24:00',
    ],
  ],
  ...['Content-Length', 'a b'].map((name): [object, string[]] => [
    { provider: { ...UPSTREAM, headers: { [name]: 'x' } } },
    [
      '.provider.headers: an object of header names and their values; what HTTP and its JSON need is not among them',
    ],
  ]),
  [
    { provider: { ...UPSTREAM, headers: { 'x-tier': { value_env: 'MISSING' } } } },
    [
      '.provider.headers.x-tier.value_env: the name of an environment variable that is set, and MISSING is not',
    ],
  ],
  ...['messages', 'stream'].map((name): [object, string[]] => [
    { provider: { ...UPSTREAM, body: { [name]: 1 } } },
    ['.provider.body: an object of fields that the request does not have by itself'],
  ]),
])('of a model with %j parseServiceConfig() finds what is wrong', (model, problems) => {
  const parsed = parseServiceConfig({ chat: { models: [{ ...MODEL, ...model }] } }, ENV)

  expect(parsed.ok ? [] : parsed.problems).toEqual(
    problems.map((problem) => `chat.models[0]${problem}`),
  )
})
