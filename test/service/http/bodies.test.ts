import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'
import { startTestService, type TestService, untilTestEnds } from '../service-fixture.ts'
import { holdBody, sendRaw } from './raw-request.ts'

const MEBIBYTE = 1024 * 1024
const CHAT = { model: 'alpha-large', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }
const CHAT_PATH = '/chats/completions'
const VIDEO_PATH = '/videos/vidgen-generate'
const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' } }

async function start(): Promise<TestService> {
  const kopeck = await startTestService()
  untilTestEnds(kopeck)
  return kopeck
}

async function post(
  { call }: TestService,
  path: string,
  body: string | Buffer<ArrayBuffer> | ReadableStream,
  { key, coding }: { key?: string; coding?: string } = {},
) {
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(coding !== undefined && { 'content-encoding': coding }),
  }
  // A stream is sent in pieces, without its length.
  const init = {
    method: 'POST',
    headers,
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  }
  const response = await call(path, init)
  const answered = (await response.json()) as { detail?: unknown }
  return { status: response.status, ...answered }
}

/** Text that is a JSON string of so many bytes: no request, but to know that it has to be parsed. */
function text(bytes: number): string {
  return `"${'x'.repeat(bytes - 2)}"`
}

async function anotherKey({ pool }: TestService): Promise<string> {
  return await createApiKey(pool, await fundedAccount(pool, 1_000_000n))
}

test.each([
  [CHAT_PATH, 'body: must not have more than 100000 values', 200_000],
  [VIDEO_PATH, 'The request body is too large.', 200_000],
])('%s answers many small values with %j', async (path, detail, values) => {
  const kopeck = await start()

  const answer = await post(kopeck, path, `[${'[],'.repeat(values)}0]`)

  expect(answer).toMatchObject({ detail })
  expect(await kopeck.balance()).toBe(1_000_000_000n)
})

/** A value as deep as a field of a body may be is 255: the body itself is the first level. */
function nest(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

test('unknown fields may be nested to level 256; one level more is 422, in the words of the endpoint', async () => {
  const kopeck = await start()
  const video = '"prompt":"a","aspect_ratio":"1280:720"'
  const chat = JSON.stringify(CHAT).slice(1, -1)

  const ignored = [
    await kopeck.call(CHAT_PATH, { ...JSON_POST, body: `{${chat},"x":${nest(255)}}` }),
    await kopeck.call(VIDEO_PATH, { ...JSON_POST, body: `{${video},"x":${nest(255)}}` }),
  ]
  const refused = [
    await post(kopeck, CHAT_PATH, `{${chat},"x":${nest(256)}}`),
    await post(kopeck, VIDEO_PATH, nest(257)),
  ]

  const msg = 'must not be nested deeper than 256'
  expect(ignored.map(({ status }) => status)).toEqual([200, 200])
  expect(refused).toMatchObject([
    { status: 422, detail: `body: ${msg}` },
    { status: 422, detail: [{ loc: ['body'], msg }] },
  ])
})

test('a body of unknown length is refused at the first byte too many', async () => {
  const kopeck = await start()
  const piece = Buffer.alloc(MEBIBYTE, ' ')
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(piece) })

  expect(await post(kopeck, CHAT_PATH, endless)).toMatchObject({
    status: 413,
    detail: 'The request body is too large.',
  })
})

async function holdUntilRefused({ origin }: TestService, keys: readonly string[]) {
  const held = keys.map((apiKey) =>
    holdBody(origin, { path: CHAT_PATH, apiKey, bytes: 32 * MEBIBYTE }),
  )
  const refused = await Promise.race(held.map(({ answer }) => answer))
  const leave = () => {
    for (const each of held) each.leave()
  }
  return { refused, leave }
}

test('an account has so many bytes of bodies at once: more is 429, until one has ended', async () => {
  const kopeck = await start()
  const other = await anotherKey(kopeck)
  const large = text(17 * MEBIBYTE)

  const { refused, leave } = await holdUntilRefused(kopeck, [kopeck.apiKey, kopeck.apiKey])
  const small = await kopeck.chat(CHAT)
  const ofOther = await post(kopeck, CHAT_PATH, large, { key: other })
  leave()

  expect(refused).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
    body: { detail: 'Too many large requests at once.' },
  })
  expect(small.status).toBe(200)
  expect(ofOther.status).toBe(422)
  await expect.poll(async () => (await post(kopeck, CHAT_PATH, large)).status).toBe(422)
})

test('all accounts have so many bytes of bodies at once: more is 503, and a small body is let in', async () => {
  const kopeck = await start()
  const keys = [kopeck.apiKey, await anotherKey(kopeck), await anotherKey(kopeck)]

  const last = await anotherKey(kopeck)
  const { refused, leave } = await holdUntilRefused(kopeck, [...keys, last])
  const small = await kopeck.chat(CHAT)
  leave()

  expect(refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { detail: 'The service has too many large requests at once.' },
  })
  expect(small.status).toBe(200)
})

test('a body without a valid key is 401 at once, however much of it is on its way', async () => {
  const { origin, apiKey } = await start()
  const body = text(31 * MEBIBYTE)

  const answers = await Promise.all(
    ['nonsense', `${apiKey.slice(0, -43)}${'x'.repeat(43)}`].map((key) =>
      sendRaw(origin, { path: `/api/v1${CHAT_PATH}`, apiKey: key, body }),
    ),
  )

  expect(answers.map(({ status }) => status)).toEqual([401, 401])
})

test('a compressed body is 415', async () => {
  const kopeck = await start()

  const body = gzipSync(JSON.stringify(CHAT))
  const answer = await post(kopeck, CHAT_PATH, body, { coding: 'gzip' })

  const detail = 'The request body must not be compressed.'
  expect(answer).toMatchObject({ status: 415, detail })
})
