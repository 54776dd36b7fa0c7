import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../../src/service/ledger/keys/api-keys.ts'
import { startTestService, type TestService } from '../service-fixture.ts'
import { announceBody } from './raw-request.ts'

const MESSAGES = [{ role: 'user', content: 'hi' }]
const CHAT = { model: 'alpha-large', messages: MESSAGES }
const VIDEO = { prompt: 'a cat', aspect_ratio: '1280:720' }
const JSON_TYPE = { 'content-type': 'application/json' }

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService({ creditMicroRub: 0n })
})
afterAll(() => kopeck[Symbol.asyncDispose]())

const ROUTES: [method: string, path: string][] = [
  ['POST', '/chats/completions'],
  ['GET', '/chats/models'],
  ['GET', '/balance'],
  ['GET', '/callback/secret'],
  ['POST', '/videos/vidgen-generate'],
  ['GET', '/task/1'],
]

test.each(ROUTES)('%s %s without a valid key is 401 with a detail', async (method, path) => {
  const headers = [
    {},
    { authorization: 'Bearer' },
    { authorization: `Basic ${kopeck.apiKey}` },
    { authorization: 'Bearer nonsense' },
    { authorization: `Bearer ${kopeck.apiKey.slice(0, -1)}` },
    { authorization: `Bearer ${kopeck.apiKey}x` },
  ]

  const responses = await Promise.all(
    headers.map((each) => fetch(`${kopeck.origin}/api/v1${path}`, { method, headers: each })),
  )

  for (const response of responses) {
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ detail: expect.any(String) })
  }
})

test('a revoked key opens nothing', async () => {
  const key = await createApiKey(kopeck.pool, kopeck.accountId)
  const headers = { authorization: `Bearer ${key}` }
  const before = await kopeck.call('/balance', { headers })
  await revokeApiKey(kopeck.pool, key)

  const after = await kopeck.call('/balance', { headers })

  expect([before.status, after.status]).toEqual([200, 401])
})

test.each([
  ['not JSON', '{"model":', 'body: must be JSON'],
  ['nothing', '', 'body: must be JSON'],
  ['a list', [], 'body: must be an object'],
  ['no model', { messages: MESSAGES }, 'model: is required'],
  ['no messages', { model: 'alpha-large' }, 'messages: is required'],
  ['a model that is not served', { ...CHAT, model: 'x' }, 'model: is not one of GET /chats/models'],
  ['a model with U+0000', { ...CHAT, model: '\0' }, 'model: is not one of GET /chats/models'],
  ['no message in the list', { ...CHAT, messages: [] }, 'messages: must not be empty'],
  [
    'an empty message',
    { ...CHAT, messages: [...MESSAGES, { role: 'user', content: '' }] },
    'messages[1].content: must not be empty',
  ],
  [
    'an unknown role',
    { ...CHAT, messages: [{ role: 'tool', content: 'x' }] },
    'messages[0].role: must be "system" or "user" or "assistant"',
  ],
  [
    'content in parts',
    { ...CHAT, messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
    'messages[0].content: must be a string',
  ],
  ['max_tokens as text', { ...CHAT, max_tokens: '10' }, 'max_tokens: must be an integer'],
  ['max_tokens of 0', { ...CHAT, max_tokens: 0 }, 'max_tokens: must be at least 1'],
  ['half a max_tokens', { ...CHAT, max_tokens: 1.5 }, 'max_tokens: must be an integer'],
  [
    'max_tokens above the context',
    { ...CHAT, max_tokens: 1_000_001 },
    'max_tokens: must be at most 1000000, the context of the model',
  ],
  [
    'more than fits the context by far',
    { ...CHAT, messages: [{ role: 'user', content: 'слово '.repeat(1_000_000) }] },
    /^messages: must fit the context of the model, 1000000 tokens; they take about \d+$/,
  ],
  [
    'so much text that it need not be counted',
    { ...CHAT, messages: [{ role: 'user', content: 'a'.repeat(8_000_000) }] },
    /^messages: must fit the context of the model, 1000000 tokens; they take about \d+ or more$/,
  ],
  ['an absurd max_tokens', { ...CHAT, max_tokens: 1e300 }, /^max_tokens: must be at most/],
  ['stream as text', { ...CHAT, stream: 'true' }, 'stream: must be a boolean'],
])('a chat with %s is 422 and names the field', async (_, body, detail) => {
  const response = await kopeck.call('/chats/completions', {
    method: 'POST',
    headers: JSON_TYPE,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

  expect(response.status).toBe(422)
  expect(await response.json()).toEqual({
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  })
})

test('a chat that the balance does not reach for is 402 and says how far', async () => {
  const response = await kopeck.chat({ ...CHAT, max_tokens: 1 })

  expect(response.status).toBe(402)
  expect(await response.json()).toEqual({
    detail: expect.stringMatching(/^Insufficient balance: [\d.]+ RUB needed, 0 available\.$/),
  })
})

test('a video with several wrong fields is 422 and lists each', async () => {
  const body = { prompt: '', duration: 7, quality: '720p' }

  const response = await kopeck.call('/videos/vidgen-generate', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  })

  const { detail } = (await response.json()) as { detail: { loc: string[]; msg: string }[] }
  expect(response.status).toBe(422)
  expect(detail.map(({ loc }) => loc.join('.')).sort()).toEqual([
    'body.aspect_ratio',
    'body.duration',
    'body.prompt',
  ])
})

test.each([
  ['POST', '/chats/completions', 'body: must be JSON'],
  ['POST', '/videos/vidgen-generate', [{ loc: ['body'], msg: 'must be JSON' }]],
])('%s %s with broken JSON is 422 in its own words', async (method, path, detail) => {
  const response = await kopeck.call(path, { method, headers: JSON_TYPE, body: '{' })

  expect(response.status).toBe(422)
  expect(await response.json()).toEqual({ detail })
})

test.each(['/chats/completions', '/videos/vidgen-generate'])(
  '%s takes JSON only: 415',
  async (path) => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']

    const responses = await Promise.all(
      types.map((type) =>
        kopeck.call(path, {
          method: 'POST',
          headers: { 'content-type': type },
          body: JSON.stringify(VIDEO),
        }),
      ),
    )

    for (const response of responses) {
      expect(response.status).toBe(415)
      expect(await response.json()).toEqual({ detail: expect.any(String) })
    }
  },
)

test.each([
  ['/chats/completions', 32 * 1024 * 1024],
  ['/videos/vidgen-generate', 128 * 1024],
])('a body above the limit of %s is 413 before it is read', async (path, limit) => {
  const { origin, apiKey } = kopeck

  const refused = await announceBody(origin, { path, apiKey, bytes: limit + 1 })

  expect(refused).toEqual({ status: 413, body: { detail: 'The request body is too large.' } })
})

test('a chat of several megabytes is read', async () => {
  const content = 'я'.repeat(2_000_000)

  const response = await kopeck.chat({ ...CHAT, messages: [{ role: 'user', content }] })

  expect(response.status).toBe(402)
})

test('the key is judged before the body', async () => {
  const response = await fetch(`${kopeck.origin}/api/v1/chats/completions`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{',
  })

  expect(response.status).toBe(401)
})

test.each(['/nothing', '/chats', '/', '/balance/x', '/task'])(
  'an unknown path is 404 in JSON: %s',
  async (path) => {
    const response = await kopeck.call(path)

    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ detail: expect.any(String) })
  },
)
