import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { builtInServiceConfig } from '../../src/service/config/service-config.ts'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/keys/api-keys.ts'
import {
  DONE,
  delta,
  finish,
  sends,
  sendsAndHangs,
  startOpenAiServer,
} from './providers/openai-server.ts'
import { startTestService, theHold, upstreamConfig } from './service-fixture.ts'

const BODY = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], stream: true }

const CREATION = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'a cat', aspect_ratio: '1280:720' }),
}

const disposables: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of disposables.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

async function start(...responders: Parameters<typeof startOpenAiServer>) {
  const upstream = await startOpenAiServer(...responders)
  const line = createLine()
  const kopeck = await startTestService({
    config: {
      ...upstreamConfig(upstream.baseUrl),
      generation: builtInServiceConfig().generation,
    },
    detour: line.lay,
  })
  disposables.push(upstream, line, kopeck)
  return { kopeck, line, upstream }
}

test('a balance service that is away is 503 everywhere, and back when it is back', async () => {
  const { kopeck, line } = await start(sends(delta('a'), finish(), DONE))
  await line.cut()

  const responses = [
    await kopeck.call('/balance'),
    await kopeck.chat(BODY),
    await kopeck.call('/videos/vidgen-generate', CREATION),
  ]

  await line.lay()
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
test('thirty requests of an account whose row is locked make no request of another one late, and none 503', async () => {
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
  const waits: number[] = []
  for (let index = 0; index < 30; index += 1) {
    const beganAt = performance.now()
    const response = await kopeck.chat(BODY)
    await response.text()
    expect(response.status).toBe(200)
    waits.push(performance.now() - beganAt)
  }
  await holder.query('ROLLBACK')
  await holder.end()

  waits.sort((one, other) => one - other)
  expect(waits[15]).toBeLessThan(150)
  expect(waits.at(-1)).toBeLessThan(2_000)
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

test('a stream that cannot be settled ends with an error, and its hold is kept once that can be written', async () => {
  const gate = Promise.withResolvers<void>()
  const { kopeck, line } = await start(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await gate.promise
    response.end(`${finish()}${DONE}`)
  })
  const response = await kopeck.chat(BODY)
  await line.cut()
  gate.resolve()

  const events = (await response.text()).trimEnd().split('\n\n')
  const beside = new pg.Pool({ connectionString: kopeck.url, max: 1 })
  const before = await theHold(beside)
  await beside.end()
  await line.lay()
  await kopeck.service.stop(20_000)
  const after = await theHold(kopeck.pool)

  expect(events.at(-1)).toBe(
    'data: {"error":{"message":"The service could not finish the answer."}}',
  )
  expect([before.state, after.state]).toEqual(['held', 'kept'])
})

test('an estimate that cannot be given back yet is given back once that can be written', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { kopeck, line } = await start(async (response) => {
    asked.resolve()
    await gate.promise
    response.writeHead(500).end()
  })
  const answer = kopeck.chat(BODY)
  await asked.promise
  await line.cut()
  gate.resolve()

  const { status } = await answer
  await line.lay()
  await kopeck.service.stop(20_000)

  expect(status).toBe(503)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
  expect(await kopeck.balance()).toBe(1_000_000_000n)
})

/** A line to the database that can be cut and laid again. */
function createLine() {
  const sockets = new Set<Socket>()
  let target = { host: '', port: 0 }
  let port = 0
  const server = createServer((near) => {
    const far = connect(target)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  return { lay, cut, [Symbol.asyncDispose]: cut }

  /** @returns The way through it. Without a URL: to the same server as before. */
  async function lay(url?: string): Promise<string> {
    const through = new URL(url ?? 'postgresql://localhost')
    if (url !== undefined) target = { host: through.hostname, port: Number(through.port) }
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    through.host = `127.0.0.1:${port}`
    return through.href
  }

  async function cut(): Promise<void> {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
}
