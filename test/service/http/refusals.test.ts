import { afterAll, beforeAll, expect, test } from 'vitest'
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

test.each([
  ['not JSON', '{"model":', 'body: must be JSON'],
  ['no model', { messages: MESSAGES }, 'model: is required'],
  ['a model that is not served', { ...CHAT, model: 'x' }, 'model: is not one of GET /chats/models'],
  [
    'an unknown role',
    { ...CHAT, messages: [{ role: 'tool', content: 'x' }] },
    'messages[0].role: must be "system" or "user" or "assistant"',
  ],
  ['max_tokens of 0', { ...CHAT, max_tokens: 0 }, 'max_tokens: must be at least 1'],
  [
    'max_tokens above the context',
    { ...CHAT, max_tokens: 1_000_001 },
    'max_tokens: must be at most 1000000, the context of the model',
  ],
  [
    'so much text that it need not be counted',
    { ...CHAT, messages: [{ role: 'user', content: 'a'.repeat(8_000_000) }] },
    /^messages: must fit the context of the model, 1000000 tokens; they take about \d+ or more$/,
  ],
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
