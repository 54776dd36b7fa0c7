import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startTestService, type TestService, untilTestEnds } from '../service-fixture.ts'

const MEBIBYTE = 1024 * 1024
const CHAT = {
  model: 'alpha-large',
  messages: [{ role: 'user', content: 'привет' }],
  max_tokens: 9,
}
const CHAT_PATH = '/chats/completions'
const VIDEO_PATH = '/videos/vidgen-generate'

async function start(): Promise<TestService> {
  const kopeck = await startTestService()
  untilTestEnds(kopeck)
  return kopeck
}

type Body = Buffer<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

async function post({ call }: TestService, coding: string, body: Body, path = CHAT_PATH) {
  const headers = { 'content-type': 'application/json', 'content-encoding': coding }
  const isStream = body instanceof ReadableStream
  const init = { method: 'POST', headers, body, ...(isStream && { duplex: 'half' as const }) }
  const response = await call(path, init)
  return { status: response.status, ...((await response.json()) as { detail?: unknown }) }
}

const JSON_BYTES = Buffer.from(JSON.stringify(CHAT))

test.each([
  ['gzip', gzipSync(JSON_BYTES)],
  ['deflate', deflateSync(JSON_BYTES)],
])('a body in the coding %s is read as the same body without one', async (coding, body) => {
  const kopeck = await start()

  const plain = await post(kopeck, '', JSON_BYTES)
  const coded = await post(kopeck, coding, body)

  expect(plain).toMatchObject({ status: 200, finish_reason: 'length' })
  expect(coded).toMatchObject({ status: 200, finish_reason: 'length' })
  expect(coded).toHaveProperty('usage', (plain as { usage?: unknown }).usage)
})

test.each([['br', brotliCompressSync(JSON_BYTES)]])(
  'a body in the coding %s is 415 by name',
  async (coding, body) => {
    const kopeck = await start()

    const answer = await post(kopeck, coding, body)

    const detail = 'Content-Encoding must be gzip or deflate, or none.'
    expect(answer).toEqual({ status: 415, detail })
  },
)

// Promise: A compressed body is cut, damaged, or no such thing
test.each([
  ['cut', gzipSync(JSON_BYTES).subarray(0, -9)],
  ['not compressed', JSON_BYTES],
])('a body of gzip that is %s is 422', async (_what, body) => {
  const kopeck = await start()

  const answer = await post(kopeck, 'gzip', body)

  expect(answer).toEqual({ status: 422, detail: 'body: must be coded as Content-Encoding says' })
})

/** 256 MB of spaces in 256 kB, made as they are sent. */
function bomb(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip()
  const spaces = Buffer.alloc(16 * MEBIBYTE, ' ')
  let left = 16
  const write = () => {
    if (left-- > 0) gzip.write(spaces, write)
    else gzip.end()
  }
  write()
  return ReadableStream.from(gzip as AsyncIterable<Uint8Array<ArrayBuffer>>)
}

// Promise: A small compressed body becomes a large one
test.each([[CHAT_PATH]])(
  '%s refuses with 413 what grows beyond its limit, and decodes no more of it',
  async (path) => {
    const kopeck = await start()
    const before = process.memoryUsage().arrayBuffers
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers)
    }, 5)

    const answer = await post(kopeck, 'gzip', bomb(), path)

    clearInterval(timer)
    expect(answer).toEqual({ status: 413, detail: 'The request body is too large.' })
    // The body as it is decoded, and what this test sends.
    expect(most - before).toBeLessThan((32 + 2 * 16 + 32) * MEBIBYTE)
  },
)

// Promise: A compressed body comes without end and becomes nothing
test('a compressed body that becomes nothing is 413 at the limit of what is sent', async () => {
  const kopeck = await start()
  // Blocks of deflate that are stored, and empty.
  const empty = Buffer.from('0000ffff'.padStart(10, '0').repeat(10_000), 'hex')
  let isBegun = false
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(isBegun ? empty : gzipSync('').subarray(0, 10))
      isBegun = true
    },
  })

  const answer = await post(kopeck, 'gzip', endless, VIDEO_PATH)

  expect(answer).toEqual({ status: 413, detail: 'The request body is too large.' })
})

test('a compressed body counts as the memory that it becomes', async () => {
  const kopeck = await start()
  const large = gzipSync(`"${'x'.repeat(30 * MEBIBYTE)}"`)

  const answers = [
    await post(kopeck, 'gzip', large),
    await post(kopeck, 'gzip', large),
    await post(kopeck, 'gzip', large),
  ]

  expect(answers.map(({ status }) => status)).toEqual([422, 422, 429])
  expect(answers[2]).toHaveProperty('detail', 'Too many large requests were refused.')
})
