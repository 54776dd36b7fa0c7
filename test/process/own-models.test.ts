import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createOwnModels } from '../../src/process/own-models.ts'
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
