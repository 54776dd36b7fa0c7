import { expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey, revokeApiKey } from '../../../src/service/ledger/api-keys.ts'
import { startTestService, type TestService, upstreamConfig } from '../service-fixture.ts'

const CHAT = { model: 'alpha-large', messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 }
const IMAGE = { prompt: 'A kopeck' }

async function start() {
  const kopeck = await startTestService()
  onTestFinished(() => kopeck[Symbol.asyncDispose]())
  return kopeck
}

async function read(kopeck: TestService, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${kopeck.origin}/api/v1/key`, { headers })
  return { status: response.status, body: await response.json() }
}

function post(kopeck: TestService, apiKey: string, path: string, body: object) {
  return kopeck.call(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

test('GET /key tells a key what it may do, has spent, and has left', async () => {
  const kopeck = await start()
  const { accountId, pool } = kopeck
  const apiKey = await createApiKey(pool, accountId, {
    name: 'shop',
    expiresAt: new Date('2999-01-01T00:00:00Z'),
    spendLimitMicroRub: 20_000_000n,
    models: ['alpha-large', 'imagegen'],
  })
  const { cost_rub } = (await (await post(kopeck, apiKey, '/chats/completions', CHAT)).json()) as {
    cost_rub: number
  }
  await post(kopeck, apiKey, '/images/imagegen-generate', IMAGE)

  const { status, body } = await read(kopeck, apiKey)

  const spentMicroRub = 5_000_000 + Math.round(cost_rub * 1e6)
  expect(cost_rub).toBeGreaterThan(0)
  expect(status).toBe(200)
  expect(body).toEqual({
    key_id: apiKey.split('_')[1],
    name: 'shop',
    expires_at: '2999-01-01T00:00:00.000Z',
    models: ['alpha-large', 'imagegen'],
    spend_limit_rub: 20,
    requests_per_minute: null,
    spent_rub: spentMicroRub / 1e6,
    left_rub: (20_000_000 - spentMicroRub) / 1e6,
  })
})

test('GET /key tells what is left of a limit, and of the key’s own rate', async () => {
  const kopeck = await start()
  const apiKey = await createApiKey(kopeck.pool, kopeck.accountId, {
    spendLimitMicroRub: 7_000_000n,
    requestsPerMinute: 2,
  })
  await post(kopeck, apiKey, '/images/imagegen-generate', IMAGE)
  const chat = await post(kopeck, apiKey, '/chats/completions', { ...CHAT, max_tokens: 1 })
  const { cost_rub } = (await chat.json()) as { cost_rub: number }

  const { body } = await read(kopeck, apiKey)
  const beyond = await post(kopeck, apiKey, '/images/imagegen-generate', IMAGE)

  const spent = 5_000_000 + Math.round(cost_rub * 1e6)
  const left = (7_000_000 - spent) / 1e6
  expect(body).toMatchObject({
    ...{ spend_limit_rub: 7, spent_rub: spent / 1e6, left_rub: left },
    requests_per_minute: 2,
  })
  expect(chat.headers.get('x-ratelimit-limit-requests')).toBe('2')
  expect(chat.headers.get('x-ratelimit-remaining-requests')).toBe('1')
  expect({ status: beyond.status, body: await beyond.json() }).toEqual({
    status: 402,
    body: {
      detail: `The spend limit of the API key is reached: 5 RUB needed, ${left} of 7 left.`,
    },
  })
})

test('GET /key tells each key of itself alone, and of none that is not valid', async () => {
  const kopeck = await start()
  const { accountId, pool } = kopeck
  const { id } = await createAccount(pool, { name: 'other', creditMicroRub: 0n })
  const [second, others, revoked] = [
    await createApiKey(pool, accountId, { name: 'second' }),
    await createApiKey(pool, id, { name: 'others' }),
    await createApiKey(pool, accountId, { name: 'revoked' }),
  ]
  await post(kopeck, kopeck.apiKey, '/images/imagegen-generate', IMAGE)
  await revokeApiKey(pool, revoked)

  expect((await read(kopeck, second)).body).toMatchObject({ name: 'second', spent_rub: 0 })
  expect((await read(kopeck, others)).body).toMatchObject({ name: 'others', spent_rub: 0 })
  expect((await read(kopeck, `${second.slice(0, -1)}x`)).status).toBe(401)
  expect(await read(kopeck, revoked)).toEqual({
    status: 401,
    body: { detail: 'The API key is not valid.' },
  })
})

test('GET /chats/models has the price of cached input of a model that has one', async () => {
  const config = upstreamConfig('http://127.0.0.1:9', { cached_prompt_rub_per_1m: '0.000001' })
  await using kopeck = await startTestService({ config })

  expect(await (await kopeck.call('/chats/models')).json()).toEqual({
    models: [
      {
        id: 'alpha',
        family: 'A',
        context_tokens: 1_000_000,
        prompt_rub_per_1m: 150,
        cached_prompt_rub_per_1m: 0.000001,
        completion_rub_per_1m: 600,
      },
    ],
  })
})

test('GET /prices and GET /balance report prices by label, the balance, and that creations may be named', async () => {
  const kopeck = await start()

  const [prices, balance] = [await kopeck.call('/prices'), await kopeck.call('/balance')]

  const ofVideos = { 'vidgen-720p-5s': 40, 'vidgen-720p-10s': 80, 'vidgen-1080p-5s': 70 }
  expect(await prices.json()).toEqual({ prices_rub: { ...ofVideos, imagegen: 5, soundgen: 3 } })
  expect(await balance.json()).toEqual({ balance_rub: 1000 })
  expect(balance.headers.get('accept-idempotency-key')).toBe('creation')
})
