import { expect, test } from 'vitest'
import type { ChatResponse } from '../../../src/contract/chat.ts'
import type { OpenAiCompletion } from '../../../src/contract/openai.ts'
import { createAccount, setAccountState } from '../../../src/service/ledger/accounts.ts'
import { createApiKey, revokeApiKey } from '../../../src/service/ledger/api-keys.ts'
import { ledgerFaults, ledgerOf } from '../ledger/ledger-fixture.ts'
import { DONE, delta, finish, refuses, sends, usage } from '../providers/openai-server.ts'
import type { TestService } from '../service-fixture.ts'
import { ANSWERS, CHAT, COST, CREDIT, gated, STREAM, startChatService } from './chat-fixture.ts'

const OWN = '/chats/completions'
const OPENAI = '/chat/completions'
const BOTH = [OWN, OPENAI]

test.each(BOTH)(
  '%s gives a repeat the stored answer, and takes and counts nothing',
  async (path) => {
    const { kopeck, upstream } = await startChatService(ANSWERS)

    const first = await ask(kopeck, path, CHAT)
    const again = [await ask(kopeck, path, CHAT), await ask(kopeck, path, reordered(CHAT))]

    expect(first).toMatchObject({ status: 200 })
    expect(again).toEqual([first, first])
    expect(upstream.requestCount()).toBe(1)
    expect(await kopeck.balance()).toBe(CREDIT - COST)
    expect(await countAccepted(kopeck)).toBe(1)
    expect(await readHolds(kopeck)).toEqual([{ state: 'settled', reason: 'usage', key: 'k1' }])
    expect(await ledgerFaults(kopeck.pool)).toEqual([])
  },
)

test('a hundred requests with one key are charged once, whichever of two processes they come to', async () => {
  const path = OWN
  const { responder, open } = gated()
  const { kopeck, upstream, startAnother } = await startChatService(responder)
  const other = await startAnother()
  const answers = Array.from({ length: 100 }, (_, index) =>
    ask(index % 2 === 0 ? kopeck : other, path, CHAT),
  )
  const refused: object[] = []
  for (const answer of answers) {
    void answer.then((each) => {
      refused.push(each)
      if (refused.length === 99) open()
    })
  }

  const all = await Promise.all(answers)

  const statuses = Map.groupBy(all, ({ status }) => status)
  expect([...statuses].map(([status, some]) => [status, some.length]).sort()).toEqual([
    [200, 1],
    [409, 99],
  ])
  expect(statuses.get(409)?.every(({ retryAfter }) => retryAfter === '2')).toBe(true)
  expect(await ask(other, path, CHAT)).toEqual(statuses.get(200)?.[0])
  expect(upstream.requestCount()).toBe(1)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
  expect(await countAccepted(kopeck)).toBe(1)
  expect(await ledgerFaults(kopeck.pool)).toEqual([])
})

test.each<[string, object, string]>([
  ['another question', { ...CHAT, messages: [{ role: 'user', content: 'Other' }] }, OWN],
  ['another limit', { ...CHAT, max_tokens: 99 }, OWN],
  ['another path', CHAT, OPENAI],
])('a key that comes with %s is 422, and takes nothing', async (_, body, path) => {
  const { kopeck, upstream } = await startChatService(ANSWERS)
  await ask(kopeck, OWN, CHAT)

  const refused = await ask(kopeck, path, body)

  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain('idempotency-key: was used for another request')
  expect(upstream.requestCount()).toBe(1)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

test('a key of a stream is refused by its name, before anything is held', async () => {
  const { kopeck, upstream } = await startChatService(ANSWERS)

  const refused = await ask(kopeck, OWN, STREAM)

  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain('idempotency-key: is for plain answers')
  expect(upstream.requestCount()).toBe(0)
  expect(await readHolds(kopeck)).toEqual([])
})

test('a key is free again if the provider was away, also for another question', async () => {
  const { kopeck, upstream } = await startChatService([refuses(503, '{}'), ANSWERS])

  const failed = await ask(kopeck, OWN, CHAT)
  const again = await ask(kopeck, OWN, { ...CHAT, max_tokens: 50 })

  expect([failed.status, again.status]).toEqual([503, 200])
  expect(upstream.requestCount()).toBe(2)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
  expect(await readHolds(kopeck)).toEqual([
    { state: 'released', reason: 'failed', key: null },
    { state: 'settled', reason: 'usage', key: 'k1' },
  ])
})

test('a client that left has the answer that it paid with a repeat', async () => {
  const { responder, asked, open } = gated()
  const { kopeck, upstream } = await startChatService(responder)

  await leave(kopeck, asked)
  const meanwhile = await ask(kopeck, OWN, CHAT)
  open()
  await expect.poll(() => kopeck.balance()).toBe(CREDIT - COST)
  const again = await ask(kopeck, OWN, CHAT)

  expect(meanwhile.status).toBe(409)
  expect(again).toMatchObject({ status: 200, body: { content: 'слово', cost_rub: 0.0048 } })
  expect(upstream.requestCount()).toBe(1)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

test('a repeat has an answer whatever is in it', async () => {
  const content = '\u0000 and \ud800'
  const { kopeck } = await startChatService(sends(delta(content), finish(), usage(12, 5), DONE))

  const bodies = []
  for (const path of BOTH) {
    const [first, again] = [
      await ask(kopeck, path, CHAT, path),
      await ask(kopeck, path, CHAT, path),
    ]
    expect(again).toEqual(first)
    bodies.push(again.body)
  }

  const [plain, openAi] = bodies as [ChatResponse, OpenAiCompletion]
  expect(plain.content).toBe(content)
  expect(openAi.choices[0]?.message.content).toBe(content)
  expect(await kopeck.balance()).toBe(CREDIT - 2n * COST)
})

test('a key is its account’s: another one has its own with the same name', async () => {
  const { kopeck } = await startChatService(ANSWERS)
  const { id } = await createAccount(kopeck.pool, { name: 'other', creditMicroRub: CREDIT })
  const other = { ...kopeck, call: callAs(kopeck, await createApiKey(kopeck.pool, id)) }

  const first = await ask(kopeck, OWN, CHAT)
  const others = await ask(other, OWN, CHAT)

  expect((others.body as ChatResponse).request_id).not.toBe((first.body as ChatResponse).request_id)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

test('a frozen account reads the answer that it has paid, a key that is revoked reads none', async () => {
  const { kopeck } = await startChatService(ANSWERS)
  const { accountId, pool } = kopeck
  const first = await ask(kopeck, OWN, CHAT)

  await setAccountState(pool, { accountId, state: 'frozen' })
  const frozen = await ask(kopeck, OWN, CHAT)
  await revokeApiKey(pool, kopeck.apiKey)
  const revoked = await ask(kopeck, OWN, CHAT)

  expect(frozen).toEqual(first)
  expect(revoked.status).toBe(401)
})

test('a repeat after the process died is answered anew: what the dead one took is back, and it ends nothing any more', async () => {
  const { responder, asked, open } = gated()
  const { kopeck, startAnother } = await startChatService([responder, ANSWERS])
  const other = await startAnother()
  const late = ask(kopeck, OWN, CHAT)
  await asked
  const underWay = await ask(other, OWN, CHAT)
  // As after a kill -9: no process has its number any more.
  await kopeck.pool.query('UPDATE service.request SET lease_owner = 0')

  const taken = await ledgerOf(kopeck.pool).takeOver()
  const again = await ask(other, OWN, CHAT)
  open()

  expect(underWay.status).toBe(409)
  expect(taken).toEqual({ released: 1, captured: 0 })
  expect(again.status).toBe(200)
  // It was not dead, and comes back: its client is told that nothing is charged for this one.
  expect((await late).status).toBe(503)
  expect(await ask(kopeck, OWN, CHAT)).toEqual(again)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
  expect(await readHolds(kopeck)).toEqual([
    { state: 'released', reason: 'withdrawn', key: null },
    { state: 'settled', reason: 'usage', key: 'k1' },
  ])
  expect(await ledgerFaults(kopeck.pool)).toEqual([])
})

test('a process that was only taken for dead has its answer kept, where no repeat came before its end', async () => {
  const { responder, asked, open } = gated()
  const { kopeck, upstream } = await startChatService(responder)
  const late = ask(kopeck, OWN, CHAT)
  await asked
  await kopeck.pool.query('UPDATE service.request SET lease_owner = 0')
  await ledgerOf(kopeck.pool).takeOver()
  open()

  const answered = await late
  const again = await ask(kopeck, OWN, CHAT)

  expect(answered.status).toBe(200)
  expect(again).toEqual(answered)
  expect(upstream.requestCount()).toBe(1)
  expect(await kopeck.balance()).toBe(CREDIT - COST)
  expect(await ledgerFaults(kopeck.pool)).toEqual([])
})

/** Asks and leaves when the upstream has the request. */
async function leave(kopeck: TestService, asked: Promise<void>): Promise<void> {
  const leaving = new AbortController()
  const left = ask(kopeck, OWN, CHAT, 'k1', leaving.signal)
  await asked
  leaving.abort()
  await expect(left).rejects.toThrow('aborted')
  await expect.poll(() => kopeck.service.readMetrics()).toContain('status="499"')
}

async function ask(
  kopeck: Pick<TestService, 'call'>,
  path: string,
  body: object,
  key = 'k1',
  signal?: AbortSignal,
) {
  const response = await kopeck.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, retryAfter, body: (await response.json()) as object }
}

function reordered(value: object): object {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).reverse())
      : each,
  )
}

function callAs({ origin }: TestService, apiKey: string): TestService['call'] {
  return (path, init) =>
    fetch(`${origin}/api/v1${path}`, {
      ...init,
      headers: { ...init?.headers, authorization: `Bearer ${apiKey}` },
    })
}

async function countAccepted({ pool }: TestService): Promise<number> {
  const { rows } = await pool.query(
    'SELECT (chat_window).totals[cardinality((chat_window).totals)]::int AS count FROM service.account',
  )
  return rows[0]?.count ?? 0
}

async function readHolds({ pool }: TestService) {
  const { rows } = await pool.query(
    `SELECT COALESCE(end_state::text, 'held') AS state, end_reason AS reason, idempotency_key AS key FROM service.request ORDER BY created_at`,
  )
  return rows
}
