import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { builtInServiceConfig } from '../../src/service/config/service-config.ts'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/keys/api-keys.ts'
import { type CuttableProxy, openCuttableProxy } from '../bot/cuttable-proxy.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  sendsAndHangs,
  startOpenAiServer,
  usage,
} from './providers/openai-server.ts'
import { startTestService, theHold, upstreamConfig } from './service-fixture.ts'

const BODY = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], stream: true }

const USAGE = usage(10, 2)
const CREDIT = 1_000_000_000n
/** Millionths of a rouble: 10 tokens at 150 and 2 at 600 RUB per 1M. */
const COST = 2_700n
const COST_RUB = 0.0027

const CREATION = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'a cat', aspect_ratio: '1280:720' }),
}

const disposables: AsyncDisposable[] = []
afterEach(endAll)

async function endAll(): Promise<void> {
  for (const each of disposables.splice(0).reverse()) await each[Symbol.asyncDispose]()
}

interface Ways {
  isWhollyDetoured?: boolean
}

async function start(responder: Responder, { isWhollyDetoured = false }: Ways = {}) {
  const upstream = await startOpenAiServer(responder)
  let proxy: CuttableProxy | undefined
  const kopeck = await startTestService({
    config: {
      ...upstreamConfig(upstream.baseUrl),
      generation: builtInServiceConfig().generation,
    },
    detour: async (url) => {
      const way = new URL(url)
      proxy = await openCuttableProxy(Number(way.port))
      way.host = `127.0.0.1:${proxy.port}`
      return way.href
    },
    isWhollyDetoured,
  })
  if (proxy === undefined) throw new TypeError('Cannot start: there is no proxy')
  const { cut, hold, mend, swallowAnswers } = proxy
  disposables.push(upstream, { [Symbol.asyncDispose]: async () => cut() }, kopeck)
  return { kopeck, line: { cut, hold, mend, swallowAnswers }, upstream }
}

function createGate() {
  const opened = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  return {
    open: opened.resolve,
    opened: opened.promise,
    isAsked: asked.promise,
    ask: asked.resolve,
  }
}

test('a balance service that is away is 503 everywhere, and back when it is back', async () => {
  const { kopeck, line } = await start(sends(delta('a'), finish(), DONE))
  line.cut()

  const responses = [
    await kopeck.call('/balance'),
    await kopeck.chat(BODY),
    await kopeck.call('/videos/vidgen-generate', CREATION),
  ]

  line.mend()
  for (const response of responses) {
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      detail: 'The balance service is not available now.',
    })
  }
  const balance = await kopeck.call('/balance')
  expect(balance.status).toBe(200)
  expect(await balance.json()).toEqual({ balance_rub: 1000 })
})

// Promise: Somebody keeps the row of one account, or a connection hangs
test('thirty requests of an account whose row is locked keep no request of another one waiting, and none is 503', async () => {
  const { kopeck } = await start(sends(delta('a'), finish(), DONE))
  const { id: lockedId } = await createAccount(kopeck.pool, {
    name: 'locked',
    creditMicroRub: 1_000_000_000n,
  })
  const lockedKey = await createApiKey(kopeck.pool, lockedId)
  const holder = new pg.Client({ connectionString: kopeck.url })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM service.account WHERE id = $1 FOR UPDATE', [lockedId])

  const headers = { authorization: `Bearer ${lockedKey}` }
  const stuck = Array.from({ length: 30 }, () => kopeck.chat(BODY, { headers }))
  // The row is locked until all of these have their answers.
  for (let index = 0; index < 30; index += 1) {
    const response = await kopeck.chat(BODY)
    await response.text()
    expect(response.status).toBe(200)
  }
  await holder.query('ROLLBACK')
  await holder.end()

  const late = await Promise.all(stuck)
  expect(new Set(late.map(({ status }) => status))).toEqual(new Set([200]))
  await Promise.all(late.map((response) => response.text()))
})

// Promise: The database takes no connections
test('a database that takes no connections is 503 before any provider is asked, and says when to come again', async () => {
  const { kopeck, upstream } = await start(sends(delta('a'), finish(), DONE))
  await kopeck.chat(BODY)
  const name = new URL(kopeck.url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: new URL('/postgres', kopeck.url).href })
  await admin.connect()
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  // The instance of the process goes, too.
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ])

  const responses = [
    await kopeck.call('/balance'),
    await kopeck.chat(BODY),
    await kopeck.chat(BODY),
    await kopeck.call('/videos/vidgen-generate', CREATION),
  ]

  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  await admin.end()
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  expect(responses.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2', '2', '2'])
  expect(upstream.requestCount()).toBe(1)
  expect((await kopeck.call('/balance')).status).toBe(200)
})

// Promise: A process that was frozen is asked before it begins again
test('a service that lost its lease answers 503, and says when to come again', async () => {
  const { kopeck, upstream } = await start(sends(delta('a'), finish(), DONE))
  await kopeck.pool.query('DELETE FROM public.instance')
  await expect.poll(async () => (await kopeck.chat(BODY)).status, { timeout: 10_000 }).not.toBe(200)
  const asked = upstream.requestCount()

  const responses = [
    await kopeck.chat(BODY),
    await kopeck.call('/chat/completions', { ...CREATION, body: JSON.stringify(BODY) }),
  ]

  expect(responses.map(({ status }) => status)).toEqual([503, 503])
  expect(responses.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2'])
  expect(await responses[0]?.json()).toEqual({ detail: 'The service begins again.' })
  expect(await responses[1]?.json()).toMatchObject({ error: { type: 'server_error' } })
  expect(upstream.requestCount()).toBe(asked)
})

test('a mistake of ours is 500, and distinguished from an outage', async () => {
  const { kopeck } = await start(sends(''))
  await kopeck.pool.query('ALTER TABLE service.api_key RENAME TO api_key_away')

  const response = await kopeck.call('/balance')

  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ detail: 'The service made a mistake. It is logged.' })
})

// Promise: The database is away while an answer begins or ends
test('a stream that ends while the database is away ends with its cost, and is settled at that once it can be', async () => {
  const { open, opened } = createGate()
  const { kopeck, line } = await start(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await opened
    response.end(`${finish()}${USAGE}${DONE}`)
  })
  const response = await kopeck.chat(BODY)
  line.cut()
  open()

  const text = await response.text()
  const beside = new pg.Pool({ connectionString: kopeck.url, max: 1 })
  const before = await theHold(beside)
  await beside.end()
  line.mend()
  await kopeck.service.stop(20_000)

  expect(text).toContain(`"cost_rub":${COST_RUB}`)
  expect(before.state).toBe('held')
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', reason: 'usage' })
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

// Promise: The database is away while an answer begins or ends
test.each([
  ['streamed', true],
  ['plain', false],
])(
  'a %s answer that comes while the database says nothing is whole, and costs what it cost',
  async (_, stream) => {
    const { ask, isAsked, open, opened } = createGate()
    const { kopeck, line } = await start(
      async (response, asked) => {
        ask()
        await opened
        await sends(delta('first'), finish(), USAGE, DONE)(response, asked)
      },
      { isWhollyDetoured: true },
    )
    const answer = kopeck.chat({ ...BODY, stream })
    await isAsked
    line.hold()
    open()
    // It gives the connection up.
    await expect.poll(() => kopeck.instance.session.connection()).toBeUndefined()
    line.mend()

    const response = await answer
    const text = await response.text()
    await kopeck.service.stop(20_000)

    expect(response.status).toBe(200)
    expect(text).toContain('first')
    expect(text).toContain(`"cost_rub":${COST_RUB}`)
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', reason: 'usage' })
    expect(await kopeck.balance()).toBe(CREDIT - COST)
  },
)

// Promise: The database is away while an answer begins or ends
test('a chat that may have been held while the database says nothing is refused, and costs nothing', async () => {
  const { kopeck, line, upstream } = await start(sends(''), { isWhollyDetoured: true })
  // Its key is known from here on.
  await kopeck.call('/balance')
  line.hold()

  const { status } = await kopeck.chat(BODY)
  line.mend()
  await kopeck.service.stop(20_000)

  expect([status, upstream.requestCount()]).toEqual([503, 0])
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released', reason: 'withdrawn' })
  expect(await kopeck.balance()).toBe(CREDIT)
})

// Promise: The database is away while an answer begins or ends
test('what is asked of a database that is known to say nothing is refused at once', async () => {
  const { kopeck, line } = await start(sends(''), { isWhollyDetoured: true })
  line.hold()
  await kopeck.call('/balance')

  // Without the knowledge of the first each of them would wait for its connection until the test is over.
  const responses = []
  for (let index = 0; index < 20; index++) responses.push(await kopeck.call('/balance'))

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]))
  line.mend()
  await expect.poll(async () => (await kopeck.call('/balance')).status).toBe(200)
})

/** A chat whose process cannot know whether it is stored that the first output goes out, and which is stopping. */
async function startUnsure() {
  const { ask, isAsked, open, opened } = createGate()
  const { kopeck, line } = await start(async (response, asked) => {
    ask()
    await opened
    await sendsAndHangs(delta('first'))(response, asked)
  })
  const beside = new pg.Pool({ connectionString: kopeck.url, max: 1 })
  disposables.push({ [Symbol.asyncDispose]: () => beside.end() })
  const answer = kopeck.chat(BODY).catch((error: Error) => error)
  await isAsked
  line.swallowAnswers()
  open()
  await expect.poll(async () => (await theHold(beside)).first_output_at).not.toBeNull()
  line.cut()
  const stopped = kopeck.service.stop(0).then(() => 'stopped')
  return { kopeck, line, answer, stopped }
}

// Promise: The database is away while an answer begins or ends
test('a chat that might be kept as delivered is refused once it is stored that it is not', async () => {
  const { kopeck, line, answer, stopped } = await startUnsure()

  expect(await Promise.race([answer, stopped])).toBe('stopped')
  line.mend()

  expect(await answer).toMatchObject({ status: 503 })
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released', reason: 'failed' })
  expect(await kopeck.balance()).toBe(CREDIT)
})

// Promise: The database is away while an answer begins or ends
test('a chat that might be kept as delivered reads no status of a process that ends first', async () => {
  const { answer, stopped } = await startUnsure()
  await stopped

  await endAll()

  expect(await answer).toBeInstanceOf(Error)
})

// Promise: The database is away while an answer begins or ends
test('an estimate that cannot be given back yet is given back once that can be written', async () => {
  const { ask, isAsked, open, opened } = createGate()
  const { kopeck, line } = await start(async (response) => {
    ask()
    await opened
    response.writeHead(500).end()
  })
  const answer = kopeck.chat(BODY)
  await isAsked
  line.cut()
  open()

  const { status } = await answer
  line.mend()
  await kopeck.service.stop(20_000)

  expect(status).toBe(503)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
  expect(await kopeck.balance()).toBe(CREDIT)
})
