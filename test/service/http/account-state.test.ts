import { expect, test } from 'vitest'
import { setAccountState } from '../../../src/service/ledger/accounts.ts'
import { DONE, delta, finish, sends, startOpenAiServer, usage } from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'

const CHAT = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 }
const FROZEN = {
  status: 403,
  body: { detail: 'The account is frozen: its operator can tell why.' },
}
const NOT_VALID = { status: 401, body: { detail: 'The API key is not valid.' } }

async function start(): Promise<TestService> {
  const upstream = await startOpenAiServer(sends(delta('a'), finish(), usage(10, 10), DONE))
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  untilTestEnds(upstream, kopeck)
  expect((await kopeck.chat(CHAT)).status).toBe(200)
  return kopeck
}

async function read(answer: Response) {
  return { status: answer.status, body: await answer.json() }
}

async function readEach({ call }: TestService, paths: readonly string[]): Promise<number[]> {
  return await Promise.all(paths.map(async (path) => (await call(path)).status))
}

function post(body: object): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

const READING = ['/balance', '/chats/models', '/prices', '/callback/secret']

// Promise: An account is frozen
test('a frozen account gets 403 for what spends, reads on, and spends again once it is opened', async () => {
  const kopeck = await start()
  const { pool, accountId } = kopeck
  const balance = await kopeck.balance()

  await setAccountState(pool, { accountId, state: 'frozen' })
  const plain = await read(await kopeck.chat(CHAT))
  const streamed = await read(await kopeck.chat({ ...CHAT, stream: true }))
  const openAi = await read(await kopeck.call('/chat/completions', post(CHAT)))
  const reading = await readEach(kopeck, READING)
  await setAccountState(pool, { accountId, state: 'open' })
  const opened = await kopeck.chat(CHAT)

  expect([plain, streamed]).toEqual([FROZEN, FROZEN])
  expect(openAi).toMatchObject({ status: 403, body: { error: { message: FROZEN.body.detail } } })
  expect(reading).toEqual([200, 200, 200, 200])
  expect(opened.status).toBe(200)
  expect(await kopeck.balance()).toBeLessThan(balance)
})

// Promise: An account is closed while a process remembers its key
test('a closed account gets 401 from a process that remembers its key, on every path', async () => {
  const kopeck = await start()
  const { pool, accountId } = kopeck

  await setAccountState(pool, { accountId, state: 'closed' })

  expect(await read(await kopeck.chat(CHAT))).toEqual(NOT_VALID)
  expect(await readEach(kopeck, READING)).toEqual([401, 401, 401, 401])
})
