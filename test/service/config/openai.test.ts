import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  type ListedModel,
  type ListedModels,
  listModels,
} from '../../../src/service/config/openai/list-models.ts'
import { offerModels, toServiceConfig } from '../../../src/service/config/openai/offer-models.ts'
import { toTrouble } from '../../../src/service/config/openai/read-offer.ts'
import {
  parseUsd,
  readUsdPerToken,
  toMicroRubPer1m,
} from '../../../src/service/config/openai/usd.ts'
import {
  isLocal,
  type OpenAiSettings,
  parseBaseUrl,
  parseModels,
  parsePrices,
  parseUsdRate,
} from '../../../src/service/config/openai/variables.ts'
import { parseServiceConfig } from '../../../src/service/config/service-config.ts'
import { type Flavour, OLLAMA, OPENAI, OPENROUTER, startUpstream } from './openai/upstreams.ts'

test.each([
  ['0.25', 250_000n],
  ['0', 0n],
  ['0.000001', 1n],
])('parseUsd() reads %s exactly', (text, microUsd) => {
  expect(parseUsd(text)).toBe(microUsd)
})

test.each(['-1', '2e-7', '', '1/2', '1.0000001'])('parseUsd() refuses %j', (text) => {
  expect(parseUsd(text)).toBeUndefined()
})

test.each<[unknown, bigint]>([
  ['0.00000025', 250_000n],
  [2.5e-7, 250_000n],
  ['0', 0n],
])('readUsdPerToken() reads %j', (listed, microUsd) => {
  expect(readUsdPerToken(listed)).toBe(microUsd)
})

// OpenRouter lists -1 for what varies: it is no price, and surely not nothing.
test.each(['-1', -1, undefined, 'free', '1e9'])(
  'readUsdPerToken() takes %j for no price',
  (listed) => {
    expect(readUsdPerToken(listed)).toBeUndefined()
  },
)

test('toMicroRubPer1m() rounds half up', () => {
  const rate = { microRub: 81_900_000n, from: '' }

  expect(toMicroRubPer1m(250_000n, rate)).toBe(20_475_000n)
  expect(toMicroRubPer1m(1n, { microRub: 500_000n, from: '' })).toBe(1n)
  expect(toMicroRubPer1m(1n, { microRub: 499_999n, from: '' })).toBe(0n)
})

test.each([
  ['https://openrouter.ai/api/v1///', 'https://openrouter.ai/api/v1'],
  ['https://api.openai.com/v1/chat/completions', 'https://api.openai.com/v1'],
])('parseBaseUrl() reads %s', (text, baseUrl) => {
  expect(parseBaseUrl(text)).toBe(baseUrl)
})

test.each([
  'openrouter.ai/api/v1',
  'https://user:password@openrouter.ai/api/v1',
  'https://example.openai.azure.com/openai?api-version=1',
])('parseBaseUrl() refuses %j', (text) => {
  expect(parseBaseUrl(text)).toBeUndefined()
})

test('parseModels() keeps the order, and takes no id twice', () => {
  expect(parseModels(' b , a:free')).toEqual(['b', 'a:free'])
  for (const text of ['a,,b', 'a,a', 'a b', ',']) expect(parseModels(text)).toBeUndefined()
})

test('parsePrices() reads dollars in and out, and free', () => {
  expect(parsePrices('a/b:c=0.25/2, d=e=free')).toEqual(
    new Map([
      ['a/b:c', { promptMicroUsdPer1m: 250_000n, completionMicroUsdPer1m: 2_000_000n }],
      ['d=e', { promptMicroUsdPer1m: 0n, completionMicroUsdPer1m: 0n }],
    ]),
  )
})

test('parseUsdRate() wants more than nothing', () => {
  expect(parseUsdRate('95.5')).toEqual({ microRub: 95_500_000n, from: 'USD_RUB' })
  for (const text of ['0', '0.0', '-1', '8e1', 'x']) expect(parseUsdRate(text)).toBeUndefined()
})

test.each([
  ['http://localhost:11434/v1', true],
  ['http://192.168.1.5:1234/v1', true],
  ['http://ollama:11434', true],
  ['https://api.openai.com/v1', false],
  // A port that callbacks may not have makes a public host no local one.
  ['http://8.8.8.8:9200/v1', false],
])('isLocal() judges %s by its host', (baseUrl, expected) => {
  expect(isLocal(baseUrl)).toBe(expected)
})

const ASKED = { baseUrl: 'https://api.groq.com/openai/v1', apiKey: 'gsk_x' }

test.each([
  [
    { problem: 'unauthorized', status: 401, said: 'Invalid API Key' },
    'OPENAI_API_KEY: api.groq.com refuses this key: set one that Groq has given you (401 Invalid API Key)',
  ],
  [
    { problem: 'unauthorized', status: 402, said: '402: Insufficient credits' },
    'OPENAI_API_KEY: api.groq.com has no money left for this key: top it up there (402: Insufficient credits)',
  ],
  [
    { problem: 'unreachable', said: 'connect ECONNREFUSED' },
    'OPENAI_BASE_URL: nobody answers at https://api.groq.com/openai/v1; is the address right, and does the upstream run? (connect ECONNREFUSED)',
  ],
] as const)('an upstream without a list (%j) is one sentence with what to do', (list, sentence) => {
  expect(toTrouble({ ok: false, ...list }, ASKED).sentence).toBe(sentence)
})

const SETTINGS: OpenAiSettings = {
  baseUrl: 'https://api.openai.com/v1',
  apiKey: 'sk-proj-x',
  models: undefined,
  prices: new Map(),
  usdRate: { microRub: 100_000_000n, from: 'USD_RUB' },
}
const PRICES = { promptMicroUsdPer1m: 3_000_000n, completionMicroUsdPer1m: 9_000_000n }

test('what is well known there is offered first, priced by the table, and no more than lists say', () => {
  const offer = offerModels(SETTINGS, listOf(['babble', 'gpt-4.1', 'gpt-5-mini']))

  expect(offer).toMatchObject({
    ok: true,
    models: [
      {
        priceFrom: 'table',
        contextFrom: 'table',
        config: {
          id: 'gpt-5-mini',
          family: 'OpenAI',
          context_tokens: 400_000,
          prompt_rub_per_1m: '25',
          completion_rub_per_1m: '200',
          usd_rub: '100',
          provider: { api_key_env: 'OPENAI_API_KEY', output_limit: 'max_completion_tokens' },
        },
      },
      { config: { id: 'gpt-4.1' } },
    ],
  })
})

test('OPENAI_PRICES counts before the list, and the list before the table', () => {
  const models = ['gpt-5-mini', 'gpt-4.1', 'gpt-5.1']
  const list = listOf(models, { 'gpt-4.1': { prices: PRICES }, 'gpt-5-mini': { prices: PRICES } })
  const prices = new Map([['gpt-5-mini', { promptMicroUsdPer1m: 1n, completionMicroUsdPer1m: 1n }]])

  const offer = offerModels({ ...SETTINGS, models, prices }, list)

  const sources = offer.ok ? offer.models.map(({ priceFrom }) => priceFrom) : []
  expect(sources).toEqual(['OPENAI_PRICES', 'list', 'table'])
})

test('a model without a price is asked for by name, and nothing is offered', () => {
  const offer = offerModels(
    { ...SETTINGS, models: ['gpt-5-mini', 'gpt-9'] },
    listOf(['gpt-5-mini', 'gpt-9']),
  )

  expect(offer).toEqual({
    ok: false,
    problem:
      "no price is known for gpt-9: OPENAI_PRICES='gpt-9=in/out' in dollars per 1 million tokens, or 'gpt-9=free'",
    unpriced: ['gpt-9'],
  })
})

test('a local upstream is free unless it is priced', () => {
  const baseUrl = 'http://127.0.0.1:11434/v1'
  const list = listOf(['llama', 'embedder'], { embedder: { isChat: false } })
  const offer = offerModels({ ...SETTINGS, baseUrl, apiKey: undefined }, { ...list, baseUrl })

  expect(offer).toMatchObject({
    ok: true,
    models: [{ priceFrom: 'local', config: { id: 'llama', prompt_rub_per_1m: '0' } }],
  })
  expect(offer.ok && offer.models[0]?.config.provider).not.toHaveProperty('api_key_env')
})

test('a model that the upstream does not have is named, with what it has', () => {
  const offer = offerModels({ ...SETTINGS, models: ['gpt-6'] }, listOf(['gpt-5-mini', 'gpt-4.1']))

  expect(offer).toEqual({
    ok: false,
    problem: 'OPENAI_MODELS: the upstream does not list gpt-6; it has gpt-5-mini, gpt-4.1',
    unpriced: [],
  })
})

test('of 400 models eight are chosen', () => {
  const ids = Array.from({ length: 400 }, (_, index) => `maker/model-${index}`)
  const listed = Object.fromEntries(ids.map((id) => [id, { prices: PRICES }]))
  const settings = { ...SETTINGS, baseUrl: 'https://openrouter.ai/api/v1' }

  const offer = offerModels(settings, listOf(ids, listed))

  expect(offer.ok && offer.models.map(({ config }) => config.id)).toEqual(ids.slice(0, 8))
})

test('an offer is a config that SERVICE_CONFIG would take', () => {
  const offer = offerModels(SETTINGS, listOf(['gpt-5-mini']))
  const { chat } = toServiceConfig(offer.ok ? offer.models : [], SETTINGS)

  expect(parseServiceConfig({ chat }, { OPENAI_API_KEY: 'sk-proj-x' })).toMatchObject({ ok: true })
})

function listOf(
  ids: readonly string[],
  more: Readonly<Record<string, Partial<ListedModel>>> = {},
): Extract<ListedModels, { ok: true }> {
  const models = ids.map((id) => ({
    id,
    ownedBy: undefined,
    contextTokens: undefined,
    prices: undefined,
    isChat: true,
    ...more[id],
  }))
  return { ok: true, baseUrl: SETTINGS.baseUrl, models }
}

const NEVER = new AbortController().signal

test.each<[string, Flavour, string[]]>([
  ['OpenAI', OPENAI, ['gpt-5-mini', 'gpt-4.1']],
  [
    'OpenRouter',
    OPENROUTER,
    ['openrouter/auto', 'deepseek/deepseek-v3.2', 'openai/gpt-5-mini', 'z-ai/glm-4.5-air:free'],
  ],
  ['Ollama', OLLAMA, ['llama3.2:latest']],
])('the list of %s is read, also from the root of its host', async (_, flavour, chatting) => {
  await using upstream = await startUpstream(flavour)
  for (const baseUrl of [upstream.baseUrl, `${upstream.baseUrl}/`, upstream.origin]) {
    const list = await listModels({ baseUrl, apiKey: flavour.key }, NEVER)

    expect(list).toMatchObject({ ok: true })
    const models = list.ok ? list.models : []
    expect(models.filter(({ isChat }) => isChat).map(({ id }) => id)).toEqual(chatting)
  }
})

test('prices and contexts are read where the list tells them, and a price that varies is none', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const list = await listModels({ baseUrl: upstream.baseUrl, apiKey: OPENROUTER.key }, NEVER)
  const models = new Map(list.ok ? list.models.map((model) => [model.id, model]) : [])

  expect(models.get('openai/gpt-5-mini')).toMatchObject({
    contextTokens: 400_000,
    prices: { promptMicroUsdPer1m: 250_000n, completionMicroUsdPer1m: 2_000_000n },
  })
  expect(models.get('openrouter/auto')?.prices).toBeUndefined()
})

test('a key that is refused is told with the words of the upstream, and without the key', async () => {
  await using upstream = await startUpstream(OPENAI)
  const list = await listModels({ baseUrl: upstream.baseUrl, apiKey: 'sk-wrong' }, NEVER)

  expect(list).toMatchObject({ ok: false, problem: 'unauthorized', status: 401 })
  expect(JSON.stringify(list)).toContain('Incorrect API key provided')
  expect(JSON.stringify(list)).not.toContain('sk-wrong')
})

test.each<[string, number, string, object]>([
  ['a page', 200, '<html>Welcome</html>', { problem: 'no_list', status: 200 }],
  [
    'a failure of its own',
    503,
    '{"error":{"message":"overloaded"}}',
    { problem: 'unavailable', said: 'overloaded' },
  ],
])('%s is no list, and why is told', async (_, status, body, expected) => {
  const { baseUrl } = await serve(status, body)

  const list = await listModels({ baseUrl, apiKey: 'sk-x' }, NEVER)

  expect(list).toMatchObject({ ok: false, ...expected })
})

async function serve(status: number, body: string) {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(async () => {
    if (server.listening) await close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close }
}
