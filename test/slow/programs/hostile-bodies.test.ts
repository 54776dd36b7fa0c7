import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { ServiceConfig } from '../../../src/service/config/service-config.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { percentile, readMemory } from '../../bench/bench.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount } from '../../service/ledger/ledger-fixture.ts'
import { delta, sendsAndHangs, startOpenAiServer } from '../../service/providers/openai-server.ts'
import { upstreamConfig } from '../../service/service-fixture.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'

const ROUNDS = Number(process.env.HOSTILE_BODIES ?? 1)
const AT_ONCE = 3
const BODY_BYTES = 31_000_000
const HEAP_MB = 512
/** Bodies, and what is made of them, are for the most part outside of the heap. */
const RSS_BYTES_MAX = 900 * 1024 * 1024

const CHAT_HEAD = '{"model":"alpha-large","messages":[{"role":"user","content":"'
const CHAT_TAIL = '"}]}'

function fill(head: string, unit: string, tail = ''): Buffer<ArrayBuffer> {
  return Buffer.from(head + unit.repeat(BODY_BYTES / Buffer.byteLength(unit)) + tail)
}

function fillWithNames(): Buffer<ArrayBuffer> {
  const fields = Array.from({ length: 99_000 }, (_, index) => `"${index}${'n'.repeat(280)}":1`)
  return Buffer.from(`{${fields.join()}}`)
}

const BODIES: [name: string, makeBody: () => Buffer<ArrayBuffer>][] = [
  ['empty lists', () => fill('[', '[],', '0]')],
  ['lists in lists', () => fill('', '[')],
  ['objects in objects', () => fill('', '{"a":')],
  ['messages of one letter', () => fill('{"messages":[', '{"role":"user","content":"a"},')],
  ['strings and nothing between', () => fill('', '""')],
  ['escaped quotes', () => fill(CHAT_HEAD, '\\"', CHAT_TAIL)],
  ['escaped letters', () => fill(CHAT_HEAD, '\\u4e2d', CHAT_TAIL)],
  ['a letter that makes the rest twice as long', () => fill(`${CHAT_HEAD}ж`, 'a', CHAT_TAIL)],
  ['names that are all different', fillWithNames],
  ['blanks', () => fill('{', ' ')],
]

test(`${AT_ONCE} bodies of 31 MB at once, of every hostile kind: a heap of ${HEAP_MB} MB bears it, and others are answered`, async () => {
  const { pool, post, address, newKey, kopeck } = await startService()
  const other = startAsking(`${address}/api/v1/balance`, await newKey())

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, makeBody] of BODIES) {
      const [key, body] = [await newKey(), makeBody()]
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(key, body)))
      for (const { status, json } of answers) {
        expect([422, 429], name).toContain(status)
        expect(json, name).toEqual({ detail: expect.any(String) })
      }
    }
  }
  const key = await newKey()
  const unknown = await post(`${key.slice(0, -43)}${'x'.repeat(43)}`, fillWithNames())
  const history = Buffer.from(JSON.stringify(longHistory()))
  const legal = await Promise.all(Array.from({ length: 10 }, () => post(key, history)))
  const waits = await other.end()
  const { peakRssBytes } = await readMemory(kopeck.pid)

  expect(unknown.status).toBe(401)
  expect(legal.map(({ status }) => status)).toEqual(legal.map(() => 200))
  const { rows } = await pool.query('SELECT count(*)::int AS holds FROM service.request')
  expect(rows).toEqual([{ holds: legal.length }])
  expect(peakRssBytes).toBeLessThan(RSS_BYTES_MAX)
  expect(await kopeck.stop()).toBe(0)
  const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => percentile(waits, share).toFixed(0))
  process.stdout.write(
    `${waits.length} requests beside hostile bodies: p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms; ` +
      `peak memory ${(peakRssBytes / 2 ** 20).toFixed(0)} MiB\n`,
  )
}, 600_000)

const CHATS = '/chats/completions'

const LET_IN: [name: string, path: string, body: () => object][] = [
  [
    'text that takes two bytes a letter',
    CHATS,
    () => toChat([{ role: 'user', content: `ж${'a'.repeat(6_500_000)}` }]),
  ],
  [
    'thousands of short messages',
    CHATS,
    () =>
      toChat(
        Array.from({ length: 33_000 }, (_, index) => ({ role: 'user', content: `ж${index}` })),
      ),
  ],
  [
    'text in thousands of parts that are joined',
    '/chat/completions',
    () => {
      const part = { type: 'text', text: `ж${'a'.repeat(200)}` }
      return toChat([{ role: 'user', content: Array.from({ length: 30_000 }, () => part) }])
    },
  ],
]

test.each(LET_IN)(
  `as many open answers as are let in, to %s: a heap of ${HEAP_MB} MB bears them`,
  async (_, path, makeBody) => {
    await using upstream = await startOpenAiServer(sendsAndHangs(delta('x')))
    const { post, newKey, kopeck } = await startService(upstreamConfig(upstream.baseUrl))
    const body = Buffer.from(JSON.stringify(makeBody()))
    const keys = [await newKey(), await newKey(), await newKey()]

    const answers = await Promise.all(
      keys.flatMap((key) => Array.from({ length: 8 }, () => post(key, body, path))),
    )

    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(new Set([...statuses, 200, 429, 503])).toEqual(new Set([200, 429, 503]))
    const small = Buffer.from(JSON.stringify(toChat([{ role: 'user', content: 'hi' }])))
    expect((await post(await newKey(), small)).status).toBe(200)
    const { peakRssBytes } = await readMemory(kopeck.pid)
    expect(peakRssBytes).toBeLessThan(RSS_BYTES_MAX)
  },
)

function toChat(messages: object[]): object {
  return { model: 'alpha', messages, max_tokens: 1, stream: true }
}

function startAsking(url: string, apiKey: string) {
  const worker = new Worker(new URL('../../support/waiting-account.ts', import.meta.url), {
    workerData: { url, apiKey },
  })
  onTestFinished(async () => void (await worker.terminate()))
  // It fails with the service, and is looked at in the end.
  const ended = once(worker, 'message') as Promise<[number[]]>
  ended.catch(() => {})
  return {
    async end() {
      worker.postMessage('end')
      const [waits] = await ended
      return waits
    },
  }
}

/** The service with a small heap, and accounts that may ask it. What is streamed is not read on. */
async function startService(config?: ServiceConfig) {
  const dataDir = await makeFolder()
  const configPath = join(dataDir, 'service.json')
  if (config !== undefined) await writeFile(configPath, JSON.stringify({ chat: config.chat }))
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const kopeck = await startKopeck(
    {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
      ...(config !== undefined && { SERVICE_CONFIG: configPath }),
    },
    ['service'],
  )
  onTestFinished(() => kopeck.kill())
  const { address } = kopeck
  return { kopeck, pool, address, newKey, post }

  async function newKey(): Promise<string> {
    return await createApiKey(pool, await fundedAccount(pool, 10_000_000_000n))
  }

  async function post(key: string, body: Buffer<ArrayBuffer>, path = CHATS) {
    const response = await fetch(`${address}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    return { status: response.status, json: isStream ? undefined : await response.json() }
  }
}

/** 2.5 MB, as a bot would send them: 2,000 messages, most of them Russian. */
function longHistory() {
  const content = 'За копейку покупали баранку, and a kopeck saved is a rouble earned. '.repeat(13)
  const messages = Array.from({ length: 2000 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }))
  return { model: 'alpha-large', messages, max_tokens: 1 }
}
