import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../src/platform/time/clock.ts'
import { createPriceStore, OwnModels } from '../../src/process/own-models.ts'
import type { FoundPrice, KnownPrices } from '../../src/service/config/openai/offer-models.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { OPENROUTER, startUpstream } from '../service/config/openai/upstreams.ts'

const log = pino({ enabled: false })
const SETTINGS = {
  apiKey: OPENROUTER.key,
  models: undefined,
  prices: new Map(),
  usdRate: { microRub: 100_000_000n, from: 'USD_RUB' },
}

function createModels(baseUrl: string, { clock }: { clock?: Pick<Clock, 'now' | 'sleep'> } = {}) {
  const readSettings = () => ({ ...SETTINGS, baseUrl })
  return new OwnModels({ readSettings, log, ...(clock && { clock }) })
}

test('an upstream that was not there is asked again every 30 s, then at the same hours as by other processes', async () => {
  const first = await startUpstream(OPENROUTER)
  const baseUrl = first.baseUrl
  await first[Symbol.asyncDispose]()
  const waits: PromiseWithResolvers<void>[] = []
  const delaysMs: number[] = []
  const sleep = async (delayMs: number, signal?: AbortSignal) => {
    const wait = Promise.withResolvers<void>()
    signal?.addEventListener('abort', () => wait.reject(signal.reason))
    waits.push(wait)
    delaysMs.push(delayMs)
    await wait.promise
  }
  const now = () => Date.UTC(2026, 10, 29, 20, 15)
  const own = createModels(baseUrl, { clock: { now, sleep } })

  expect(await own.read()).toMatchObject({ ok: true, trouble: { kind: 'unreachable' } })
  const reports: string[] = []
  own.watch((trouble) => void reports.push('sentence' in trouble ? trouble.sentence : ''))
  expect(reports).toEqual([expect.stringMatching(/^OPENAI_BASE_URL: no answer from http/)])

  const reloads: unknown[] = []
  const stop = own.keepAsking(async () => void reloads.push(await own.read()))
  await using _again = await startUpstream(OPENROUTER, Number(new URL(baseUrl).port))
  waits[0]?.resolve()
  await expect.poll(() => reloads.length).toBe(1)

  expect(reports).toHaveLength(1)
  expect(own.offer?.models.map(({ config }) => config.id)).toContain('openai/gpt-5-mini')
  await expect.poll(() => delaysMs).toEqual([30_000, (3 * 60 + 45) * 60_000])
  await stop()
})

test('an upstream that fails later takes nothing off the offer', async () => {
  const upstream = await startUpstream(OPENROUTER)
  const own = createModels(upstream.baseUrl)
  await own.read()
  await upstream[Symbol.asyncDispose]()

  expect(await own.read()).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('no answer from')],
  })
  expect(own.offer?.models).toHaveLength(3)
})

test('newer prices are taken, but not a page, a negative price or four times the old one', async () => {
  const list = (prompt: string) => ({
    data: [{ id: 'a', pricing: { prompt, completion: '1e-6' } }],
  })
  let body: unknown = list('1e-6')
  const server = createServer((_request, response) =>
    response.end(typeof body === 'string' ? body : JSON.stringify(body)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const own = createModels(baseUrl)
  const { store, saved } = openStore()
  await own.useStore(store)
  const kept: string[] = []
  own.watch((trouble) => {
    if ('old' in trouble) kept.push(`${trouble.old} → ${trouble.next}`)
  })

  const outcomes: boolean[] = []
  for (const next of [body, list('2e-6'), '<html>', list('-1'), list('8e-6'), list('6e-6')]) {
    body = next
    outcomes.push((await own.read()).ok)
  }

  expect(outcomes).toEqual([true, true, false, true, true, true])
  expect(saved.map((known) => known.get('a')?.usd.prompt)).toEqual(
    [1n, 2n, 2n, 2n, 6n].map((usd) => usd * 1_000_000n),
  )
  expect(kept).toEqual(['2/1 → undefined', '2/1 → 8/1'])
})

test('a process that starts judges by the stored prices', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const own = createModels(upstream.baseUrl)
  const first = await own.read()
  const usd = { prompt: 50_000n, completion: 2_000_000n }
  const { store } = openStore([
    ['openai/gpt-5-mini', { usd, priceFrom: 'list', pricedAt: '2026-11-29' }],
  ])

  const judged = await own.useStore(store)

  const priceIn = (read: typeof judged) =>
    read?.ok && read.config.chat.models.find(({ id }) => id === 'openai/gpt-5-mini')
  expect(priceIn(first)).toMatchObject({ prompt_rub_per_1m: '25' })
  expect(priceIn(judged)).toMatchObject({ prompt_rub_per_1m: '5' })
})

test('without the stored prices nothing changes', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const own = createModels(upstream.baseUrl)
  await own.read()
  const { store } = openStore()
  await own.useStore(store)
  const { offer } = own
  store.load = async () => {
    throw new Error('the database is away')
  }

  expect(await own.read()).toMatchObject({ ok: false, problems: [expect.any(String)] })
  expect(own.offer).toEqual(offer)
})

const BASE_URL = 'https://llm.example.com/v1'
const KNOWN: KnownPrices = new Map([
  [
    'a/b',
    {
      usd: {
        prompt: 250_000n,
        completion: 2n,
        tiers: [{ prompt: 3n, completion: 4n, abovePromptTokens: 1000 }],
      },
      priceFrom: 'list',
      pricedAt: '2026-11-29',
    },
  ],
])

test('stored prices are those of all processes, for the same upstream', async () => {
  const { pool, close } = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(close)
  await createPriceStore(pool).save(BASE_URL, KNOWN)

  expect(await createPriceStore(pool).load(BASE_URL)).toEqual(KNOWN)
  expect(await createPriceStore(pool).load('https://other.example.com/v1')).toEqual(new Map())
})

function openStore(first: readonly (readonly [string, FoundPrice])[] = []) {
  const saved: KnownPrices[] = []
  const store = {
    load: async () => saved.at(-1) ?? new Map(first),
    save: async (_baseUrl: string, known: KnownPrices) => void saved.push(known),
  }
  return { store, saved }
}
