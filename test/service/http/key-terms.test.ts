import { afterAll, beforeAll, expect, test } from 'vitest'
import { setAccountState } from '../../../src/service/ledger/accounts.ts'
import type { KeyTerms } from '../../../src/service/ledger/api-keys.ts'
import { changeApiKey, createApiKey, revokeApiKey } from '../../../src/service/ledger/api-keys.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'
import { startTestService, type TestService } from '../service-fixture.ts'

const CHAT = {
  model: 'alpha-small',
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: 10,
}
const PAST = new Date('2020-01-01')
const NOT_VALID = { status: 401, body: { detail: 'The API key is not valid.' } }

let kopeck: TestService
let other: TestService

beforeAll(async () => {
  kopeck = await startTestService()
  other = await startTestService({ beside: kopeck })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await kopeck[Symbol.asyncDispose]()
})

function addKey(terms: Partial<KeyTerms> = {}): Promise<string> {
  return createApiKey(kopeck.pool, kopeck.accountId, terms)
}

interface Body {
  detail?: unknown
  models?: { id: string }[]
  prices_rub?: object
}

async function call(key: string, path: string, body?: object, { call: send } = kopeck) {
  const response = await send(path, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

const chat = (key: string, body: object = CHAT, from = kopeck) =>
  call(key, '/chats/completions', body, from)
const order = (key: string) => call(key, '/images/imagegen-generate', { prompt: 'кот' })

test.each([
  ['expires', (key: string) => changeApiKey(kopeck.pool, key, { expiresAt: PAST })],
  ['is revoked', (key: string) => revokeApiKey(kopeck.pool, key)],
])(
  'a key that %s after it was used is 401 at once, also in a process that remembers it',
  async (_, end) => {
    const key = await addKey()
    expect((await chat(key, CHAT, other)).status).toBe(200)

    await end(key)

    expect(await chat(key, CHAT, other)).toEqual(NOT_VALID)
  },
)

test('a spend limit is 402 and names itself, for chats and tasks', async () => {
  const key = await addKey({ spendLimitMicroRub: 1n })

  const [chatted, ordered] = [await chat(key), await order(key)]

  expect(chatted).toEqual({
    status: 402,
    body: {
      detail: expect.stringMatching(
        /^The spend limit of the API key is reached: 0\.00\d+ RUB needed, 0\.000001 of 0\.000001 left\.$/,
      ),
    },
  })
  const detail =
    'The spend limit of the API key is reached: 5 RUB needed, 0.000001 of 0.000001 left.'
  expect(ordered).toEqual({ status: 402, body: { detail } })
})

test('a key of named models sees no others, and is 422 for them as for an unknown one', async () => {
  const key = await addKey({ models: ['alpha-large', 'soundgen'] })

  const { models } = (await call(key, '/chats/models')).body
  const { prices_rub } = (await call(key, '/prices')).body
  const [known, unknown] = [await chat(key), await chat(key, { ...CHAT, model: 'nobody' })]
  const ordered = await order(key)

  expect(models?.map(({ id }) => id)).toEqual(['alpha-large'])
  expect(prices_rub).toEqual({ soundgen: 3 })
  expect(known).toEqual({ status: 422, body: { detail: 'model: is not one of GET /chats/models' } })
  expect(known).toEqual(unknown)
  expect(ordered).toEqual({
    status: 422,
    body: { detail: [{ loc: ['body'], msg: '"imagegen" is not on offer' }] },
  })
  expect((await chat(key, { ...CHAT, model: 'alpha-large' })).status).toBe(200)
})

const FROZEN = {
  status: 403,
  body: { detail: 'The account is frozen: its operator can tell why.' },
}
const READING = ['/balance', '/chats/models', '/prices', '/callback/secret']

/** An account of its own, with a key that a chat has used. */
async function addAccount() {
  const accountId = await fundedAccount(kopeck.pool, 1_000_000_000n)
  const key = await createApiKey(kopeck.pool, accountId)
  expect((await chat(key)).status).toBe(200)
  return { accountId, key }
}

async function readEach(key: string): Promise<number[]> {
  return await Promise.all(READING.map(async (path) => (await call(key, path)).status))
}

test('a frozen account gets 403 for what spends, reads on, and spends again once it is opened', async () => {
  const { accountId, key } = await addAccount()

  await setAccountState(kopeck.pool, { accountId, state: 'frozen' })
  const refused = [await chat(key), await chat(key, { ...CHAT, stream: true })]
  const openAi = await call(key, '/chat/completions', CHAT)
  const reading = await readEach(key)
  await setAccountState(kopeck.pool, { accountId, state: 'open' })
  const opened = await chat(key)

  expect(refused).toEqual([FROZEN, FROZEN])
  expect(openAi).toMatchObject({ status: 403, body: { error: { message: FROZEN.body.detail } } })
  expect(reading).toEqual([200, 200, 200, 200])
  expect(opened.status).toBe(200)
})

test('a closed account gets 401 from a process that remembers its key, on every path', async () => {
  const { accountId, key } = await addAccount()

  await setAccountState(kopeck.pool, { accountId, state: 'closed' })

  expect(await chat(key)).toEqual(NOT_VALID)
  expect(await readEach(key)).toEqual([401, 401, 401, 401])
})
