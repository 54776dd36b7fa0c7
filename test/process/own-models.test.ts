import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createOwnModels } from '../../src/process/own-models.ts'
import type { ReadOffer } from '../../src/service/config/openai/read-offer.ts'
import { OPENROUTER, startUpstream } from '../service/config/openai/upstreams.ts'

const log = pino({ enabled: false })
const SETTINGS = {
  apiKey: OPENROUTER.key,
  models: undefined,
  prices: new Map(),
  usdRate: { microRub: 100_000_000n, from: 'USD_RUB' },
}

test('an upstream that was not there is asked again, until its list is read', async () => {
  const first = await startUpstream(OPENROUTER)
  const baseUrl = first.baseUrl
  await first[Symbol.asyncDispose]()
  const waits: PromiseWithResolvers<void>[] = []
  const sleep = async (_delayMs: number, signal?: AbortSignal) => {
    const wait = Promise.withResolvers<void>()
    signal?.addEventListener('abort', () => wait.reject(signal.reason))
    waits.push(wait)
    await wait.promise
  }
  const own = createOwnModels({ settings: { ...SETTINGS, baseUrl }, log, clock: { sleep } })

  expect(await own.read()).toMatchObject({ ok: true, trouble: { kind: 'unreachable' } })
  const reports: string[] = []
  own.watch({ onTrouble: ({ sentence }) => void reports.push(sentence) })
  expect(reports).toEqual([expect.stringMatching(/^OPENAI_BASE_URL: nobody answers at http/)])

  const reloads: unknown[] = []
  const stop = own.keepAsking(async () => void reloads.push(await own.read()))
  await using _again = await startUpstream(OPENROUTER, Number(new URL(baseUrl).port))
  waits[0]?.resolve()
  await expect.poll(() => reloads.length).toBe(1)

  expect(reports).toHaveLength(1)
  expect(own.offer()?.models.map(({ config }) => config.id)).toContain('openai/gpt-5-mini')
  expect(waits).toHaveLength(1)
  await stop()
})

test('an upstream that fails later takes nothing off the offer', async () => {
  const upstream = await startUpstream(OPENROUTER)
  const own = createOwnModels({ settings: { ...SETTINGS, baseUrl: upstream.baseUrl }, log })
  await own.read()
  await upstream[Symbol.asyncDispose]()

  expect(await own.read()).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('nobody answers')],
  })
  expect(own.offer()?.models).toHaveLength(3)
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
  const own = createOwnModels({ settings: { ...SETTINGS, baseUrl, apiKey: undefined }, log })
  const stored: bigint[] = []
  const kept: (string | undefined)[] = []
  own.watch({
    onPrices: async (_, known) => void stored.push(known.get('a')?.prices.prompt ?? -1n),
    onKeptPrice: ({ old, next }) => void kept.push(`${old} → ${next}`),
  })

  const outcomes: boolean[] = []
  for (const next of [body, list('2e-6'), '<html>', list('-1'), list('8e-6'), list('6e-6')]) {
    body = next
    outcomes.push((await own.read()).ok)
  }

  expect(outcomes).toEqual([true, true, false, true, true, true])
  expect(stored).toEqual([1n, 2n, 2n, 2n, 6n].map((usd) => usd * 1_000_000n))
  expect(kept).toEqual(['2/1 → undefined', '2/1 → 8/1'])
})

test('the prices that another process has stored count until the upstream is asked', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const own = createOwnModels({ settings: { ...SETTINGS, baseUrl: upstream.baseUrl }, log })
  await own.read()
  const prices = { prompt: 300_000n, completion: 2_000_000n }
  const known = new Map([
    ['openai/gpt-5-mini', { prices, from: 'list' as const, date: '2026-11-29' }],
  ])

  const recalled = own.recall(known)
  const asked = await own.read()

  const priceOf = (read: ReadOffer) =>
    read.ok &&
    read.models.find(({ config }) => config.id === 'openai/gpt-5-mini')?.config.prompt_rub_per_1m
  expect([recalled, asked].map(priceOf)).toEqual(['30', '25'])
})
