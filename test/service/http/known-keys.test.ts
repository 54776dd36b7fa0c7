import { expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../../src/service/ledger/api-keys.ts'
import { DONE, delta, finish, sends, startOpenAiServer, usage } from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'

const CREDIT = 1_000_000_000n
/** 10 tokens at 150 RUB and 10 at 600 RUB per 1M. */
const PRICE = 7500n
const USAGE = usage(10, 10)
const CHAT = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 }
const CHAT_PATH = '/chats/completions'
const REFUSED = { status: 401, body: { detail: 'The API key is not valid.' } }

async function start() {
  const upstream = await startOpenAiServer(sends(delta('a'), finish(), USAGE, DONE))
  const config = upstreamConfig(upstream.baseUrl)
  const kopeck = await startTestService({ config })
  const other = await startTestService({ config, beside: kopeck })
  untilTestEnds(upstream, kopeck, other)
  return { kopeck, other, upstream }
}

async function rememberedKey({ pool, accountId, chat }: TestService): Promise<string> {
  const key = await createApiKey(pool, accountId)
  const answer = await chat(CHAT, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)
  return key
}

async function ask(
  { call }: TestService,
  key: string,
  body: unknown = CHAT,
  contentType = 'application/json',
) {
  const response = await call(CHAT_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

async function readTraces({ pool, accountId }: TestService) {
  const { rows } = await pool.query(
    `SELECT balance_micro_rub AS balance,
            (SELECT count(*)::int FROM service.request) AS holds,
            (SELECT sum((chat_window).totals[cardinality((chat_window).totals)])::int FROM service.account) AS counted
     FROM service.account WHERE id = $1`,
    [accountId],
  )
  return rows[0]
}

test.each([false])(
  'a key that is revoked between two chats opens nothing and costs nothing (stream: %s)',
  async (stream) => {
    const { kopeck, other, upstream } = await start()
    const key = await rememberedKey(kopeck)
    await revokeApiKey(other.pool, key)
    const before = await readTraces(kopeck)

    const answers = [
      await ask(kopeck, key, { ...CHAT, stream }),
      await ask(kopeck, key, { ...CHAT, stream }),
      await ask(other, key, { ...CHAT, stream }),
    ]

    expect(answers).toEqual([REFUSED, REFUSED, REFUSED])
    expect(await readTraces(kopeck)).toEqual(before)
    expect(upstream.requestCount()).toBe(1)
  },
)

test('of chats that race with a revocation each is answered and paid, or refused and free', async () => {
  const { kopeck, other, upstream } = await start()
  const key = await rememberedKey(kopeck)
  await ask(other, key)

  const racing = Array.from({ length: 20 }, (_, index) => ask(index % 2 ? kopeck : other, key))
  await Promise.race(racing)
  await revokeApiKey(kopeck.pool, key)
  const late = [await ask(kopeck, key), await ask(other, key)]

  const statuses = (await Promise.all(racing)).map(({ status }) => status)
  const answered = 2 + statuses.filter((status) => status === 200).length
  expect(new Set([...statuses, 200, 401])).toEqual(new Set([200, 401]))
  expect(late).toEqual([REFUSED, REFUSED])
  expect(upstream.requestCount()).toBe(answered)
  expect(await readTraces(kopeck)).toEqual({
    balance: String(CREDIT - BigInt(answered) * PRICE),
    holds: answered,
    counted: answered,
  })
})
