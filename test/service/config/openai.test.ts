import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  type ListedModel,
  type ListedModels,
  listModels,
  toTrouble,
} from '../../../src/service/config/openai/list-models.ts'
import { type FoundPrice, offerModels } from '../../../src/service/config/openai/offer-models.ts'
import { openPriceBook } from '../../../src/service/config/openai/price-book.ts'
import { isLocal, type OpenAiSettings } from '../../../src/service/config/openai/settings.ts'
import { readUsdPerToken, toRub, type UsdPrices } from '../../../src/service/config/openai/usd.ts'
import { parseServiceConfig } from '../../../src/service/config/service-config.ts'
import { type Flavour, OLLAMA, OPENAI, OPENROUTER, startUpstream } from './openai/upstreams.ts'

test.each<[unknown, bigint]>([
  ['0.00000025', 250_000n],
  [2.5e-7, 250_000n],
  ['0', 0n],
])('readUsdPerToken() reads %j', (listed, microUsd) => {
  expect(readUsdPerToken(listed)).toBe(microUsd)
})

// OpenRouter lists -1 for what varies: it is no price, and surely not nothing.
test.each(['-1', undefined, '1e9'])('readUsdPerToken() takes %j for no price', (listed) => {
  expect(readUsdPerToken(listed)).toBeUndefined()
})

test('toRub() rounds half up', () => {
  expect(toRub(250_000n, { microRub: 81_900_000n, from: '' })).toBe(20_475_000n)
  expect(toRub(1n, { microRub: 500_000n, from: '' })).toBe(1n)
  expect(toRub(1n, { microRub: 499_999n, from: '' })).toBe(0n)
})

test.each([
  ['http://localhost:11434/v1', true],
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
    'unauthorized',
    { status: 401, said: 'Invalid API Key' },
    'OPENAI_API_KEY: api.groq.com refuses this key: set one that Groq has given you (401 Invalid API Key)',
  ],
  [
    'unauthorized',
    { status: 402, said: '402: Insufficient credits' },
    'OPENAI_API_KEY: api.groq.com has no money left for this key: top it up there (402: Insufficient credits)',
  ],
  [
    'unreachable',
    { said: 'connect ECONNREFUSED' },
    'OPENAI_BASE_URL: no answer from https://api.groq.com/openai/v1; is the address right, and does the upstream run? (connect ECONNREFUSED)',
  ],
] as const)('no list, %s %j, is one sentence with what to do', (kind, answered, sentence) => {
  expect(toTrouble(kind, ASKED, answered).sentence).toBe(sentence)
})

const SETTINGS: OpenAiSettings = {
  baseUrl: 'https://api.openai.com/v1',
  apiKey: 'sk-proj-x',
  models: undefined,
  prices: new Map(),
  usdRate: { microRub: 100_000_000n, from: 'USD_RUB' },
}
const BOOK = { book: await openPriceBook(SETTINGS.baseUrl) }
const PRICES = { prompt: 3_000_000n, completion: 9_000_000n }

test('what is well known there is offered first, priced by the book, and no more than lists say', () => {
  const offer = offerModels(SETTINGS, listOf(['babble', 'gpt-4.1', 'gpt-5-mini']), BOOK)

  expect(offer).toMatchObject({
    ok: true,
    models: [
      {
        priceFrom: 'book',
        pricedAt: '2026-09-23',
        contextFrom: 'book',
        config: {
          id: 'gpt-5-mini',
          family: 'OpenAI',
          context_tokens: 400_000,
          prompt_rub_per_1m: '25',
          cached_prompt_rub_per_1m: '2.5',
          completion_rub_per_1m: '200',
          usd_rub: '100',
          provider: { api_key_env: 'OPENAI_API_KEY', output_limit: 'max_completion_tokens' },
        },
      },
      { config: { id: 'gpt-4.1' } },
    ],
  })
})

test('OPENAI_PRICES counts before the list, and the list before the book', () => {
  const models = ['gpt-5-mini', 'gpt-4.1', 'gpt-5.1']
  const list = listOf(models, { 'gpt-4.1': { prices: PRICES }, 'gpt-5-mini': { prices: PRICES } })
  const prices = new Map([['gpt-5-mini', { prompt: 1n, completion: 1n }]])

  const offer = offerModels({ ...SETTINGS, models, prices }, list, BOOK)

  const sources = offer.ok ? offer.models.map(({ priceFrom }) => priceFrom) : []
  expect(sources).toEqual(['OPENAI_PRICES', 'list', 'book'])
})

test('a model without a price is asked for by name, and nothing is offered', () => {
  const offer = offerModels(
    { ...SETTINGS, models: ['gpt-5-mini', 'gpt-9'] },
    listOf(['gpt-5-mini', 'gpt-9']),
    BOOK,
  )

  expect(offer).toEqual({
    ok: false,
    problems: [
      "no price is known for gpt-9: OPENAI_PRICES='gpt-9=in/out' in dollars per 1 million tokens, or 'gpt-9=free'",
    ],
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
    problems: ['OPENAI_MODELS: the upstream does not list gpt-6; it has gpt-5-mini, gpt-4.1'],
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

test('without a list the well-known models are offered, or none', () => {
  const trouble = toTrouble('unauthorized', SETTINGS, { status: 401 })
  const list: ListedModels = { ok: false, trouble }

  expect(offerModels(SETTINGS, list, BOOK)).toMatchObject({
    ok: true,
    models: expect.arrayContaining([expect.objectContaining({ priceFrom: 'book' })]),
  })
  expect(offerModels({ ...SETTINGS, baseUrl: 'https://llm.example.com' }, list)).toMatchObject({
    ok: true,
    models: [],
  })
})

const KNOWN: FoundPrice = { usd: PRICES, priceFrom: 'list', pricedAt: '2026-10-01' }
const OLD: UsdPrices = { prompt: 100n, cachedPrompt: 10n, completion: 400n }
const TIERED: UsdPrices = { ...OLD, tiers: [{ ...OLD, abovePromptTokens: 1000, prompt: 200n }] }

test.each<[string, UsdPrices, UsdPrices | undefined, string | undefined]>([
  ['a lower one', OLD, { prompt: 1n, cachedPrompt: 1n, completion: 1n }, undefined],
  ['three times', OLD, { prompt: 300n, cachedPrompt: 30n, completion: 1200n }, undefined],
  ['a prompt above three times', OLD, { ...OLD, prompt: 301n }, 'tripled'],
  ['an output above three times', OLD, { ...OLD, completion: 1201n }, 'tripled'],
  ['a reasoning that was not priced apart', OLD, { ...OLD, reasoning: 1201n }, 'tripled'],
  ['a price of what was free', { prompt: 0n, completion: 0n }, OLD, 'tripled'],
  ['none', OLD, undefined, 'missing'],
  [
    'a tier above three times',
    OLD,
    { ...OLD, tiers: [{ ...OLD, abovePromptTokens: 5, prompt: 301n }] },
    'tripled',
  ],
  ['a tier less', TIERED, OLD, undefined],
])('a known price, and then %s', (_, old, next, fault) => {
  const settings = { ...SETTINGS, models: ['x'] }
  const known = new Map([['x', { ...KNOWN, usd: old }]])

  const offer = offerModels(settings, listOf(['x'], { x: { prices: next } }), { known })

  const [model] = offer.ok ? offer.models : []
  expect(model?.usd).toEqual(fault === undefined ? next : old)
  expect(model?.kept).toEqual(fault && { next: fault === 'tripled' ? next : undefined })
})

test('without a list the known prices count', () => {
  const known = new Map([['gpt-5-mini', KNOWN]])

  const trouble = toTrouble('unreachable', SETTINGS, {})

  const offer = offerModels(SETTINGS, { ok: false, trouble }, { ...BOOK, known })

  expect(offer.ok && offer.models[0]).toMatchObject({ usd: PRICES, priceFrom: 'list' })
  expect(offer.ok && offer.models[0]?.kept).toBeUndefined()
})

test('OPENAI_PRICES counts before a known price, which counts before an older book', () => {
  const models = ['gpt-5-mini', 'gpt-4.1']
  const prices = new Map([['gpt-5-mini', { prompt: 1n, completion: 1n }]])
  const known = new Map(models.map((id) => [id, { ...KNOWN, priceFrom: 'book' as const }]))

  const offer = offerModels({ ...SETTINGS, models, prices }, listOf(models), { ...BOOK, known })

  const found = offer.ok ? offer.models.map(({ usd, kept }) => [usd.prompt, kept]) : []
  expect(found).toEqual([
    [1n, undefined],
    [PRICES.prompt, undefined],
  ])
})

test.each([
  ['https://openrouter.ai/api/v1', 'reported'],
  ['https://llm.example.com/v1', undefined],
])('what is charged at %s goes by %s', (baseUrl, price_by) => {
  const list = { ...listOf(['x'], { x: { prices: PRICES } }), baseUrl }

  const offer = offerModels({ ...SETTINGS, baseUrl }, list)

  expect(offer.ok && offer.models[0]?.config.price_by).toBe(price_by)
})

test('an offer is a config that SERVICE_CONFIG would take', () => {
  const offer = offerModels(SETTINGS, listOf(['gpt-5-mini']), BOOK)
  const chat = offer.ok && offer.config.chat

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
    prices: { prompt: 250_000n, completion: 2_000_000n },
  })
  expect(models.get('openrouter/auto')?.prices).toBeUndefined()
})

test.each<[string, object, object | undefined]>([
  [
    'cached, newly cached and reasoning tokens',
    { input_cache_read: '0.0000001', input_cache_write: 0.00000125, internal_reasoning: '2e-6' },
    { cachedPrompt: 100_000n, cacheWrite: 1_250_000n, reasoning: 2_000_000n },
  ],
  ['nothing', { input_cache_write: '0', internal_reasoning: '0', input_cache_read: null }, {}],
  ['a negative part', { input_cache_read: '-1' }, undefined],
  ['each request', { request: '0.01' }, undefined],
])('OpenRouter prices %s apart', async (_, more, expected) => {
  const pricing = { prompt: '0.000001', completion: '0.000002', ...more }
  const { baseUrl } = await serve(200, JSON.stringify({ data: [{ id: 'x', pricing }] }))

  const list = await listModels({ baseUrl, apiKey: 'sk-x' }, NEVER)

  const whole = expected && { prompt: 1_000_000n, completion: 2_000_000n, ...expected }
  expect(list.ok && list.models[0]?.prices).toEqual(whole)
})

test('a key that is refused is told with the words of the upstream, and without the key', async () => {
  await using upstream = await startUpstream(OPENAI)
  const list = await listModels({ baseUrl: upstream.baseUrl, apiKey: 'sk-wrong' }, NEVER)

  expect(list).toMatchObject({ ok: false, trouble: { kind: 'unauthorized', status: 401 } })
  expect(JSON.stringify(list)).toContain('Incorrect API key provided')
  expect(JSON.stringify(list)).not.toContain('sk-wrong')
})

test.each<[string, number, string, object]>([
  ['a page', 200, '<html>Welcome</html>', { kind: 'no_list', status: 200 }],
  [
    'a failure of its own',
    503,
    '{"error":{"message":"overloaded"}}',
    { kind: 'unavailable', said: 'overloaded' },
  ],
])('%s is no list, and why is told', async (_, status, body, expected) => {
  const { baseUrl } = await serve(status, body)

  const list = await listModels({ baseUrl, apiKey: 'sk-x' }, NEVER)

  expect(list).toMatchObject({ ok: false, trouble: expected })
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
