import { expect, test } from 'vitest'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { setOwnLimits } from '../../../src/service/ledger/rate-window.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'
import { letTimePass } from '../let-time-pass.ts'
import { DONE, delta, finish, sends, startOpenAiServer, usage } from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'

const USAGE = usage(0, 0)
const CHAT = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }
const VIDEO = { prompt: 'a cat', aspect_ratio: '1280:720' }

async function start(options: { creditMicroRub?: bigint } = {}) {
  const upstream = await startOpenAiServer(sends(delta('a'), finish(), USAGE, DONE))
  const config = {
    ...upstreamConfig(upstream.baseUrl),
    generation: builtInServiceConfig().generation,
  }
  const kopeck = await startTestService({ config, ...options })
  const other = await startTestService({ config, beside: kopeck })
  untilTestEnds(upstream, kopeck, other)
  return { kopeck, other, upstream }
}

async function statuses(
  count: number,
  { kopeck, other }: { kopeck: TestService; other: TestService },
  ask: (instance: TestService) => Promise<Response>,
): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await ask(index % 2 === 0 ? kopeck : other)
      await response.text()
      counts[response.status] = (counts[response.status] ?? 0) + 1
    }),
  )
  return counts
}

function post(instance: TestService, path: string, body: object): Promise<Response> {
  return instance.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

test('chats that are refused with 401, 415 or 422 count towards nothing', async () => {
  const instances = await start()
  const { kopeck } = instances
  const refused = await Promise.all(
    Array.from({ length: 10 }, () => [
      kopeck.chat(CHAT, { headers: { authorization: 'Bearer x' } }),
      kopeck.chat(CHAT, { headers: { 'content-type': 'text/plain' } }),
      kopeck.chat({ ...CHAT, model: 'nobody' }),
      kopeck.chat({ ...CHAT, max_tokens: 0 }),
    ]).flat(),
  )

  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401, 415, 422]))
  expect(await statuses(31, instances, (each) => each.chat(CHAT))).toEqual({ 200: 30, 429: 1 })
})

test('a chat is refused in this order: 401, 415, 422, 429, 402', async () => {
  const { kopeck } = await start({ creditMicroRub: 0n })
  const poor = await kopeck.chat(CHAT)
  for (let chat = 1; chat < 30; chat += 1) await (await kopeck.chat(CHAT)).text()

  const answers = [
    await kopeck.chat({ ...CHAT, model: 'nobody' }, { headers: { authorization: 'Bearer x' } }),
    await kopeck.chat({ ...CHAT, model: 'nobody' }, { headers: { 'content-type': 'text/plain' } }),
    await kopeck.chat({ ...CHAT, model: 'nobody' }),
    await kopeck.chat(CHAT),
    poor,
  ]

  expect(answers.map(({ status }) => status)).toEqual([401, 415, 422, 429, 402])
})

test('of 10 racing polls of a task exactly one is answered, and the next after 3 s', async () => {
  const instances = await start()
  const { kopeck } = instances
  const created = await post(kopeck, '/videos/vidgen-generate', VIDEO)
  const { task_id } = (await created.json()) as { task_id: number }
  const poll = (each: TestService) => each.call(`/task/${task_id}`)

  const counts = await statuses(10, instances, poll)

  expect(counts).toEqual({ 200: 1, 429: 9 })
  const refused = await poll(kopeck)
  expect(refused.headers.get('retry-after')).toMatch(/^[123]$/)
  await letTimePass(kopeck.pool, 3000)
  expect(await statuses(2, instances, poll)).toEqual({ 200: 1, 429: 1 })
})

test('tasks are polled each at its own pace; unknown ids and those of others are 404 without a limit', async () => {
  const instances = await start()
  const { kopeck } = instances
  const ids: number[] = []
  for (const prompt of ['one', 'two']) {
    const created = await post(kopeck, '/videos/vidgen-generate', { ...VIDEO, prompt })
    ids.push(((await created.json()) as { task_id: number }).task_id)
  }
  const key = await createApiKey(kopeck.pool, await fundedAccount(kopeck.pool, 0n))
  const headers = { authorization: `Bearer ${key}` }

  const foreign = await statuses(6, instances, (each) => each.call(`/task/${ids[0]}`, { headers }))
  const unknown = await statuses(6, instances, (each) => each.call('/task/2147483647'))
  const own = [await kopeck.call(`/task/${ids[0]}`), await kopeck.call(`/task/${ids[1]}`)]

  expect([foreign, unknown]).toEqual([{ 404: 6 }, { 404: 6 }])
  expect(own.map(({ status }) => status)).toEqual([200, 200])
})

test('answers and refusals of a chat report its limit', async () => {
  const { kopeck, other } = await start()
  const { accountId, pool } = kopeck
  await setOwnLimits(pool, accountId, { chat: 3 })

  const answers = await Promise.all(
    [kopeck, other, kopeck, other].map(async (each) => {
      const response = await each.chat({ ...CHAT, stream: true })
      await response.text()
      return response
    }),
  )

  const read = ({ status, headers }: Response) => [
    status,
    headers.get('x-ratelimit-limit-requests'),
    headers.get('x-ratelimit-remaining-requests'),
    headers.get('x-ratelimit-reset-requests'),
  ]
  expect(answers.map(read).sort()).toEqual([
    [200, '3', '0', '1m0s'],
    [200, '3', '1', '1m0s'],
    [200, '3', '2', '1m0s'],
    [429, '3', '0', expect.stringMatching(/^(1m0s|[1-5]?[0-9](\.[0-9]{1,3})?s)$/)],
  ])
})
