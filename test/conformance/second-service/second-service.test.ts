import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  readBalance,
  readCallbackSecret,
  readModels,
} from '../../../src/contract/client/read-answers.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { startReceiver, verifyCallback } from '../../service/callback/receiver.ts'
import { startSecondService } from './second-service.ts'

const WORDS = [{ role: 'user', content: 'What is a kopeck?' }]
const PICTURE = '/images/imagegen-generate'
const CLIP = '/videos/vidgen-generate'
/** The words of an answer come sooner, all else later. */
const SOON_MS = 1_000

/** The service, on a clock that stands still, and a receiver for its callbacks. */
async function start() {
  const clock = createManualClock()
  // It takes no callback that is signed with another secret: none at all.
  const receiver = await startReceiver({ secret: () => 'no secret of the service' })
  onTestFinished(receiver.close)
  const openTo = `127.0.0.1:${receiver.port}`
  const service = await startSecondService({ clock, openTo })
  onTestFinished(service.stop)
  return { ...service, clock, receiver, call, chat, create, kopecks }

  async function call(path: string, init: RequestInit = {}, apiKey = service.apiKey) {
    const headers = { authorization: `Bearer ${apiKey}`, ...init.headers }
    const answer = await fetch(service.baseUrl + path, { ...init, headers })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    return { status: answer.status, text, json: isJson ? JSON.parse(text) : undefined }
  }

  /** Lets the words of the answer come, and nothing that is due later. */
  async function chat(fields: object) {
    const body = JSON.stringify({ model: 'ural-one', messages: WORDS, max_tokens: 200, ...fields })
    let isDone = false
    const answering = call('/chats/completions', { method: 'POST', body }).finally(() => {
      isDone = true
    })
    while (!isDone) {
      if (clock.nextInMs() < SOON_MS) await clock.run(clock.nextInMs())
      await setImmediate()
    }
    return await answering
  }

  function create(path: string, body: object, headers = {}) {
    return call(path, { method: 'POST', body: JSON.stringify(body), headers })
  }

  async function kopecks(): Promise<number> {
    return Number(readBalance((await call('/balance')).json)) / 10_000
  }
}

test('the second service has shapes of its own for what the interface leaves open', async () => {
  const { call, otherKey } = await start()

  const models = readModels((await call('/chats/models')).json) ?? []
  const secrets = [
    readCallbackSecret((await call('/callback/secret')).json),
    readCallbackSecret((await call('/callback/secret', {}, otherKey)).json),
  ]

  expect(models.map(({ family, contextTokens }) => `${family} ${contextTokens}`)).toEqual([
    ...['Elbrus 1000000', 'Elbrus 1000000', 'Kazbek 1000000', 'Kazbek 1000000'],
    ...['Ural 1100000', 'Ural 1100000', 'Ural 1100000'],
  ])
  expect(models[0]).toMatchObject({
    promptMicroRubPer1m: 240_000_000n,
    completionMicroRubPer1m: 960_000_000n,
  })
  expect(new Set(secrets).size).toBe(2)
  expect((await call('/balance')).json).toMatchObject({ data: { amount: '500.00' } })
  expect((await call('/balance', {}, 'sk-wrong')).status).toBe(401)
})

test.each([false, true])(
  'a chat holds an estimate, and is put right 1.5 s after its end (streamed: %s)',
  async (stream) => {
    const { chat, kopecks, clock } = await start()
    const before = await kopecks()

    const { status, text } = await chat({ stream })
    const held = before - (await kopecks())
    await clock.run(1_500)
    const charged = before - (await kopecks())

    expect(status).toBe(200)
    expect(held).toBe(6)
    expect(text).toContain(`"cost_rub":${charged / 100},"cost_coins":${charged / 100}`)
    expect(charged).toBe(1)
    if (stream) expect(text.endsWith('}\n\ndata: [DONE]\n\n')).toBe(true)
  },
)

test.each([
  ['trouble-refused', 502],
  ['trouble-away', 503],
])('%s is %i, and its estimate is back 2 s later', async (model, status) => {
  const { chat, kopecks, clock } = await start()
  const before = await kopecks()

  const answer = await chat({ model, stream: true })
  const held = before - (await kopecks())
  await clock.run(2_000)

  expect(answer).toMatchObject({ status, json: { detail: expect.any(String) } })
  expect(held).toBeGreaterThan(0)
  expect(await kopecks()).toBe(before)
})

test('trouble-broken ends a stream with an error event, and its estimate stays charged', async () => {
  const { chat, kopecks, clock } = await start()
  const before = await kopecks()

  const { status, text } = await chat({ model: 'trouble-broken', stream: true })
  await clock.run(60_000)

  expect(status).toBe(200)
  expect(text.trim().split('\n\n')).toHaveLength(7)
  expect(text).toMatch(/data: \{"error":\{"message":"[^"]+","at":6\}\}\n\n$/)
  expect(before - (await kopecks())).toBe(4)
})

test('trouble-longer thinks, and what it costs above its estimate is charged additionally', async () => {
  const { chat, kopecks, clock } = await start()
  const before = await kopecks()

  const { json } = await chat({ model: 'trouble-longer' })
  const held = before - (await kopecks())
  await clock.run(1_500)

  expect(json.usage.completion_tokens).toBeGreaterThan(600)
  expect(json.cost_rub * 100).toBeGreaterThan(held)
  expect(before - (await kopecks())).toBe(json.cost_rub * 100)
})

test('thirty chats a minute are answered, and what is wrong counts and costs nothing', async () => {
  const { chat, clock, kopecks } = await start()
  const before = await kopecks()
  const wrong = await chat({ messages: [] })
  expect(await kopecks()).toBe(before)

  const statuses: number[] = []
  for (let asked = 0; asked < 31; asked++) statuses.push((await chat({})).status)
  await clock.run(60_000)

  expect(wrong).toMatchObject({ status: 422, json: { detail: expect.any(String) } })
  expect(statuses).toEqual([...Array(30).fill(200), 429])
  expect((await chat({})).status).toBe(200)
})

test('a picture waits, and is there within 2 s; its callback is signed and comes until it is taken', async () => {
  const { create, call, clock, receiver } = await start()
  const secret = readCallbackSecret((await call('/callback/secret')).json) ?? ''

  const created = await create(PICTURE, { prompt: 'a bun' }, { 'x-callback-url': receiver.url })
  const path = `/task/${created.json.task_id}`
  const first = await call(path)
  const tooSoon = await call(path)
  await clock.run(3_000)
  const second = await call(path)

  expect(first.json).toMatchObject({ status: 'waiting', result_urls: null, error: null })
  expect(tooSoon.status).toBe(429)
  expect(second.json).toMatchObject({ status: 'success', error: null })
  const file = await fetch(second.json.result_urls[0])
  expect(file.headers.get('content-type')).toBe('image/png')
  expect(
    Buffer.from(await file.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
  for (const count of [1, 2]) {
    await expect.poll(() => receiver.received.length).toBe(count)
    await clock.untilAsleep()
    await clock.run(10_000)
  }
  await expect.poll(() => receiver.received.length).toBe(3)
  const now = clock.date().getTime()
  for (const callback of receiver.received) {
    expect(verifyCallback(callback, { secret, now })).toBe(200)
  }
  expect(JSON.parse(receiver.received[0]?.body.toString() ?? '')).toMatchObject({
    code: 200,
    result_urls: second.json.result_urls,
  })
})

test('a picture that tears ends in fail, and its price is back 2 s later; one that is rejected is 502', async () => {
  const { create, call, clock, kopecks } = await start()
  const before = await kopecks()

  const torn = await create(PICTURE, { prompt: 'a picture that tears' })
  const rejected = await create(PICTURE, { prompt: 'a picture that nobody draws' })
  const charged = before - (await kopecks())
  await clock.run(2_500)
  const task = await call(`/task/${torn.json.task_id}`)
  await clock.run(2_000)

  expect(rejected.status).toBe(502)
  expect(charged).toBe(840)
  expect(task.json).toMatchObject({
    status: 'fail',
    error: { code: 1042, message: expect.any(String) },
  })
  expect(await kopecks()).toBe(before)
})

test('a clip goes through its states slowly, three are taken a minute, and it calls nobody back', async () => {
  const { create, call, clock, receiver, otherKey } = await start()
  const clip = { prompt: 'a bun', aspect_ratio: '1280:720' }

  const created = await create(CLIP, clip, { 'x-callback-url': receiver.url })
  const others = [await create(CLIP, clip), await create(CLIP, clip), await create(CLIP, clip)]
  const path = `/task/${created.json.task_id}`
  const statuses: string[] = []
  for (const ms of [0, 3_000, 3_000, 6_000]) {
    await clock.run(ms)
    statuses.push((await call(path)).json.status)
  }
  await clock.run(30_000)

  expect(others.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(statuses).toEqual(['waiting', 'queuing', 'generating', 'success'])
  expect((await call(path, {}, otherKey)).status).toBe(403)
  expect((await call('/task/5')).status).toBe(404)
  expect(receiver.received).toEqual([])
})

test.each([
  [CLIP, { prompt: 'a' }, {}, 'aspect_ratio'],
  [CLIP, { prompt: 'a', aspect_ratio: '1280:720', quality: '1080p', duration: 10 }, {}, 'quality'],
  [CLIP, { prompt: 'a'.repeat(5_001), aspect_ratio: '1280:720' }, {}, 'prompt'],
  [PICTURE, { prompt: 'a' }, { 'x-callback-url': 'http://10.1.2.3/' }, 'X-Callback-Url'],
  [PICTURE, { prompt: 'a' }, { 'x-callback-url': 'http://localhost/' }, 'X-Callback-Url'],
  [PICTURE, { prompt: 'a' }, { 'x-callback-url': 'http://[::ffff:127.0.0.1]/' }, 'X-Callback-Url'],
  [
    PICTURE,
    { prompt: 'a' },
    { 'x-callback-url': `https://1.1.1.1/${'x'.repeat(490)}` },
    'X-Callback-Url',
  ],
])('%s with %j and %j is 422, and names the field', async (path, body, headers, field) => {
  const { create, kopecks } = await start()
  const before = await kopecks()

  const refused = await create(path, body, headers)

  expect(refused).toMatchObject({ status: 422, json: { detail: [{ field }] } })
  expect(await kopecks()).toBe(before)
})
