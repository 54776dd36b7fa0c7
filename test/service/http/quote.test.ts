import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../../src/service/ledger/keys/api-keys.ts'
import { startTestService, type TestService } from '../service-fixture.ts'

const MESSAGES = [{ role: 'user', content: 'Hi' }]
const JSON_TYPE = { 'content-type': 'application/json' }

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService()
})
afterAll(() => kopeck[Symbol.asyncDispose]())

function post(path: string, body: object, headers: Record<string, string> = {}) {
  return kopeck.call(path, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  })
}

const CHATS: [string, object][] = [
  ['/chats/completions', { messages: MESSAGES, max_tokens: 100 }],
  ['/chat/completions', { messages: MESSAGES, max_tokens: 100, stream: true }],
]

// Promise: A client asks what something costs
test.each(CHATS)(
  'a quote of %s is what would be held; nothing is held, counted or charged',
  async (path, body) => {
    const before = await kopeck.balance()

    const response = await post(`${path}?quote=true`, { model: 'alpha-large', ...body })

    const { quote } = Object(await response.json())
    const { rows } = await kopeck.pool.query('SELECT FROM service.hold')
    expect(response.status).toBe(200)
    // 8 tokens with a quarter more at 150, and 100 at 600 roubles per 1M.
    expect(quote).toEqual({
      model: 'alpha-large',
      estimate_rub: 0.0615,
      most_rub: 1.0615,
      prompt_tokens: 8,
      max_tokens: 100,
    })
    expect(rows).toEqual([])
    expect((await kopeck.pool.query('SELECT FROM service.rate_limit')).rowCount).toBe(0)
    expect(await kopeck.balance()).toBe(before)
  },
)

// Promise: A client asks what something costs
test('a quote of a creation is its price, and makes no task', async () => {
  const body = { prompt: 'a', aspect_ratio: '1280:720', duration: 5 }

  const response = await post('/videos/vidgen-generate?quote=true', body)

  expect(await response.json()).toEqual({
    quote: { model: 'vidgen-720p-5s', estimate_rub: 40, most_rub: 40 },
  })
  expect((await kopeck.pool.query('SELECT FROM service.task')).rowCount).toBe(0)
})

// Promise: A client asks what something costs
test('what would be refused is refused as well where it asks for a quote', async () => {
  const limited = await createApiKey(kopeck.pool, kopeck.accountId, { models: ['alpha-small'] })
  const revoked = await createApiKey(kopeck.pool, kopeck.accountId)
  const body = { model: 'alpha-large', messages: MESSAGES }
  const ask = (query: string, given: object, key?: string) =>
    post(`/chats/completions?quote=${query}`, given, key ? { authorization: `Bearer ${key}` } : {})
  await ask('true', body, revoked)
  await revokeApiKey(kopeck.pool, revoked)

  const answers = await Promise.all([
    ask('true', { ...body, model: 'x' }),
    ask('yes', body),
    ask('true', body, limited),
    ask('true', body, revoked),
    ask('true', { ...body, max_tokens: 0 }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 401, 422])
})
