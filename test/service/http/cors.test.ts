import { expect, onTestFinished, test } from 'vitest'
import { CHAT } from '../chat/chat-fixture.ts'
import { DONE, delta, finish, sends, startOpenAiServer, usage } from '../providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../service-fixture.ts'

const PAGE = 'https://chat.example.com'
const OTHER = 'https://other.example.com'

async function start(origins: readonly string[]) {
  const upstream = await startOpenAiServer(sends(delta('Да'), finish(), usage(12, 5), DONE))
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const corsOrigins = new Set(origins)
  const config = upstreamConfig(upstream.baseUrl)
  const kopeck = await startTestService({ config, corsOrigins })
  onTestFinished(() => kopeck[Symbol.asyncDispose]())
  return { kopeck, preflight, ask }

  function preflight(path: string, origin = PAGE): Promise<Response> {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,x-stainless-os',
    }
    return fetch(`${kopeck.origin}/api/v1${path}`, { method: 'OPTIONS', headers })
  }

  function ask(path: string, body: object, headers: Record<string, string> = {}) {
    return kopeck.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: PAGE, ...headers },
      body: JSON.stringify(body),
    })
  }
}

function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^access-control|^vary$/.test(name)))
}

test('a preflight of a listed origin is answered before authentication', async () => {
  const { preflight } = await start([PAGE])

  const response = await preflight('/chats/completions')

  expect([response.status, await response.text()]).toEqual([204, ''])
  expect(corsOf(response)).toEqual({
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-origin': PAGE,
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'authorization,content-type,idempotency-key,x-stainless-os',
    'access-control-expose-headers': expect.stringContaining('x-request-id'),
    'access-control-max-age': '7200',
  })
})

test('answers and refusals of a listed origin can be read, also limits and streams', async () => {
  const path = '/chats/completions'
  const { ask } = await start([PAGE])
  const readable = {
    vary: 'Origin',
    'access-control-allow-origin': PAGE,
    'access-control-expose-headers': expect.stringMatching(
      /x-request-id, retry-after, x-ratelimit-limit-requests, x-ratelimit-remaining-requests/,
    ),
  }

  const plain = await ask(path, CHAT)
  const stream = await ask(path, { ...CHAT, stream: true })
  const wrong = await ask(path, {})
  const keyless = await ask(path, CHAT, { authorization: 'Bearer wrong' })
  const unknown = await ask('/unknown', {})

  const answers = [plain, stream, wrong, keyless, unknown]
  expect(answers.map(({ status }) => status)).toEqual([...[200, 200, 422, 401, 404]])
  for (const answer of answers) expect(corsOf(answer)).toEqual(readable)
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  expect(await stream.text()).toContain('Да')
  expect(plain.headers.get('x-ratelimit-remaining-requests')).toBe('29')
})

test('another origin gets no header, and its preflight is an unknown path', async () => {
  const { preflight, ask } = await start([PAGE])

  const asked = await preflight('/chat/completions', OTHER)
  const answer = await ask('/chat/completions', CHAT, { origin: OTHER })

  expect(asked.status).toBe(404)
  expect(answer.status).toBe(200)
  for (const response of [asked, answer]) expect(corsOf(response)).toEqual({ vary: 'Origin' })
})

test('without the setting no origin is told anything', async () => {
  const { preflight, ask } = await start([])

  const asked = await preflight('/chat/completions')
  const answer = await ask('/chat/completions', CHAT)

  expect([asked.status, answer.status]).toEqual([404, 200])
  for (const response of [asked, answer]) expect(corsOf(response)).toEqual({})
})
