import { expect, test } from 'vitest'
import type {
  ListedModel,
  ListedModels,
} from '../../../../src/service/config/openai/list-models.ts'
import { offerModels, toServiceConfig } from '../../../../src/service/config/openai/offer-models.ts'
import type { OpenAiSettings } from '../../../../src/service/config/openai/variables.ts'
import { parseServiceConfig } from '../../../../src/service/config/service-config.ts'

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

test('of an upstream that nobody knows, what has no price is not chosen', () => {
  const settings = { ...SETTINGS, baseUrl: 'https://llm.example.com/v1' }
  const list = (...asked: Parameters<typeof listOf>) => ({
    ...listOf(...asked),
    baseUrl: settings.baseUrl,
  })

  expect(offerModels(settings, list(['a', 'b'], { b: { prices: PRICES } }))).toMatchObject({
    ok: true,
    models: [{ config: { id: 'b' }, priceFrom: 'list', contextFrom: 'assumed' }],
  })
  expect(offerModels(settings, list(['a', 'b', 'c', 'd']))).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^no price is known for a, b, c and 1 more: OPENAI_PRICES='a=/),
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

test('a list without a model that chats says so', () => {
  const offer = offerModels(SETTINGS, listOf(['whisper'], { whisper: { isChat: false } }))

  expect(offer).toMatchObject({ ok: false, problem: expect.stringContaining('none that chats') })
})

test('of 400 models eight are chosen', () => {
  const ids = Array.from({ length: 400 }, (_, index) => `maker/model-${index}`)
  const listed = Object.fromEntries(ids.map((id) => [id, { prices: PRICES }]))
  const settings = { ...SETTINGS, baseUrl: 'https://openrouter.ai/api/v1' }

  const offer = offerModels(settings, listOf(ids, listed))

  expect(offer.ok && offer.models.map(({ config }) => config.id)).toEqual(ids.slice(0, 8))
})

test('without a list the models of the table are offered, or none', () => {
  const list: ListedModels = { ok: false, problem: 'unauthorized', status: 401 }

  expect(offerModels(SETTINGS, list)).toMatchObject({
    ok: true,
    models: expect.arrayContaining([expect.objectContaining({ priceFrom: 'table' })]),
  })
  expect(offerModels({ ...SETTINGS, baseUrl: 'https://llm.example.com' }, list)).toEqual({
    ok: true,
    models: [],
  })
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
