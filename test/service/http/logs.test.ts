import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../src/platform/log.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import {
  delta,
  type Responder,
  refuses,
  sends,
  sendsAndResets,
  startOpenAiServer,
} from '../providers/openai-server.ts'
import { startTestService, type TestService, upstreamConfig } from '../service-fixture.ts'

/** Is in every text, key, header and query that people send, and in what the upstream says. */
const MARKER = 'kvass-7f3a'
const CHAT = { model: 'alpha', messages: [{ role: 'user', content: MARKER }], max_tokens: 10 }

let upstream: Awaited<ReturnType<typeof startOpenAiServer>>
let kopeck: TestService
let responder: Responder = sends('')
const lines: string[] = []

beforeAll(async () => {
  upstream = await startOpenAiServer((response, asked) => responder(response, asked))
  kopeck = await startTestService({
    config: {
      ...upstreamConfig(upstream.baseUrl, {
        provider: {
          type: 'openai',
          base_url: upstream.baseUrl,
          model: `upstream-${MARKER}`,
          api_key_env: 'UPSTREAM_API_KEY',
        },
      }),
      generation: builtInServiceConfig().generation,
      keys: new Map([['UPSTREAM_API_KEY', `sk-${MARKER}`]]),
    },
    creditMicroRub: 100_000_000n,
    log: createLog('trace', { write: (line) => void lines.push(line) }),
  })
})
afterAll(async () => {
  await kopeck[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

interface Line {
  msg: string
  reqId: string
  method: string
  route: string
  status: number
  accountId?: number
}

async function linesOf(ask: (headers: Record<string, string>) => unknown): Promise<Line[]> {
  const id = crypto.randomUUID()
  await ask({ 'x-request-id': id })
  const ofRequest = () => lines.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === id)
  await expect.poll(ofRequest).toContainEqual(expect.objectContaining({ msg: 'request ended' }))
  return ofRequest()
}

function expectNoSecrets(): void {
  const text = lines.join('')
  expect(text).not.toContain(MARKER)
  // The secret may have an underscore of its own.
  expect(text).not.toContain(kopeck.apiKey.split('_').slice(2).join('_'))
}

test.each<[string, string, number, RequestInit]>([
  [`/task/${MARKER}`, '/api/v1/task/:task_id', 404, {}],
  [`/nothing/${MARKER}`, 'unknown', 404, {}],
  ['/videos/vidgen-generate', '/api/v1/videos/vidgen-generate', 422, post(`{"prompt": ${MARKER}`)],
  ['/chats/completions', '/api/v1/chats/completions', 422, post({ ...CHAT, model: MARKER })],
])('%s is logged as %s with %i, without what was sent', async (path, route, status, init) => {
  const logged = await linesOf((id) =>
    kopeck.call(`${path}?token=${MARKER}`, { ...init, headers: { ...init.headers, ...id } }),
  )

  expect(logged).toEqual([
    expect.objectContaining({
      method: init.method ?? 'GET',
      route,
      status,
      durationMs: expect.any(Number),
    }),
  ])
  expectNoSecrets()
})

test.each<[string, number, Responder, object]>([
  [
    'refuses',
    502,
    refuses(400, JSON.stringify({ error: { message: `No: ${MARKER}` } })),
    { kind: 'refused', status: 400, said: 'No: [hidden]', level: 40 },
  ],
  [
    'is not there',
    503,
    refuses(503, `Away. Key sk-${MARKER}.`),
    { kind: 'overloaded', status: 503, said: 'Away. Key [hidden].', level: 50 },
  ],
  ['breaks off', 503, sendsAndResets(delta(MARKER)), { kind: 'reset', level: 50 }],
])(
  'an upstream that %s is logged in one line, without keys and what people wrote',
  async (_, status, played, line) => {
    responder = played

    const logged = await linesOf((id) =>
      kopeck.call('/chats/completions', {
        ...post(CHAT),
        headers: { ...post(CHAT).headers, ...id },
      }),
    )

    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'request ended', status, accountId: kopeck.accountId }),
    )
    expect(logged).toHaveLength(2)
    expect(logged[0]).toMatchObject({
      model: 'alpha',
      upstream: new URL(upstream.baseUrl).host,
      accountId: kopeck.accountId,
      requestId: expect.any(String),
      ...line,
    })
    expectNoSecrets()
  },
)

test('a wrong key is not logged, and neither is what is no HTTP at all', async () => {
  const logged = await linesOf((id) =>
    kopeck.call('/balance', { headers: { ...id, authorization: `Bearer kopeck_${MARKER}_x` } }),
  )
  const socket = connect(Number(new URL(kopeck.origin).port), '127.0.0.1')
  socket.end(`GET /api/v1/balance HTTP/1.1\r\nauthorization: ${MARKER}\r\nbad header\r\n\r\n`)
  await once(socket.resume(), 'close')

  expect(logged).toEqual([expect.objectContaining({ status: 401 })])
  expect(logged[0]).not.toHaveProperty('accountId')
  expectNoSecrets()
})

function post(body: unknown) {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-callback-url': `http://93.184.215.14/${MARKER}`,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  } satisfies RequestInit
}
