import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createOwnModels } from '../../src/process/own-models.ts'
import { openProxies, startProxyServer } from '../platform/http/proxy-server.ts'
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
  own.watchTrouble(({ sentence }) => void reports.push(sentence))
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

test('an upstream is asked through its proxies', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const proxy = await startProxyServer({
    protocol: 'socks5',
    names: { 'models.test': '127.0.0.1' },
  })
  const baseUrl = upstream.baseUrl.replace('127.0.0.1', 'models.test')
  const proxies = openProxies(proxy.url)
  const own = createOwnModels({ settings: { ...SETTINGS, baseUrl }, log, proxies })

  expect(await own.read()).toMatchObject({ ok: true, trouble: undefined })
  expect(proxy.asked).toEqual([new URL(baseUrl).host])
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

test('a key that has changed meanwhile is asked with, and is that of the offer', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const right = { ...SETTINGS, baseUrl: upstream.baseUrl }
  const wrong = { ...right, apiKey: 'sk-old' }
  let settings: typeof right | undefined = wrong
  const own = createOwnModels({ settings: wrong, readSettings: () => settings, log })
  const before = await own.read()

  settings = right
  const after = await own.read()
  settings = undefined
  const gone = await own.read()

  expect(before).toMatchObject({ trouble: { kind: 'unauthorized' } })
  expect(after).toMatchObject({ ok: true, trouble: undefined })
  expect(own.settings).toBe(right)
  expect(gone).toEqual({ ok: false, problems: [expect.stringContaining('OPENAI_API_KEY')] })
})

test('a stop ends the wait for the next time', async () => {
  const own = createOwnModels({ settings: { ...SETTINGS, baseUrl: 'http://127.0.0.1:9' }, log })
  await own.read()
  const stop = own.keepAsking(async () => {})
  onTestFinished(stop)

  await stop()
})
