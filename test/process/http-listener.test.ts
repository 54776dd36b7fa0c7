import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { HealthReport } from '../../src/process/health.ts'
import { openHttpListener } from '../../src/process/http-listener.ts'
import { findFreePort } from '../platform/http/free-port.ts'

const STARTING = { ready: false, reasons: ['the process is starting'], version: '1.2.3' }
const READY = { ready: true, reasons: [], version: '1.2.3' }

async function listen({ port = 0 } = {}) {
  let report: HealthReport = STARTING
  const listener = await openHttpListener({
    host: '127.0.0.1',
    port,
    health: { report: () => report },
  })
  onTestFinished(listener.close)
  return {
    listener,
    origin: `http://127.0.0.1:${listener.bound.port}`,
    report: (one: HealthReport) => {
      report = one
    },
  }
}

function createApp(name: string) {
  const app = Fastify()
  app.get('/name', async () => ({ name }))
  app.get('/endless', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200).write('begun')
  })
  return app
}

test('/healthz reports the health, without an app too', async () => {
  const { origin, report } = await listen()

  const before = await fetch(`${origin}/healthz`)
  report(READY)
  const after = await fetch(`${origin}/healthz`)

  expect([before.status, await before.json()]).toEqual([503, STARTING])
  expect([after.status, await after.json()]).toEqual([200, READY])
})

test('requests are refused while there is no app, on a connection that then ends', async () => {
  const { origin } = await listen()

  const response = await fetch(`${origin}/name`, { method: 'POST', body: 'x'.repeat(100_000) })

  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({ detail: 'The process is not ready.' })
  expect([response.headers.get('retry-after'), response.headers.get('connection')]).toEqual([
    '1',
    'close',
  ])
})

test('end() cuts an answer that does not end', async () => {
  const { listener, origin } = await listen()
  await listener.serve(createApp('one'))
  const cut = (await fetch(`${origin}/endless`)).body?.getReader()
  await cut?.read()

  await listener.end(0)

  await expect(cut?.read()).rejects.toThrow()
})

test('a port that was set takes no connection while there is no app', async () => {
  const { listener, origin } = await listen({ port: Number(await findFreePort()) })
  const lets = () => fetch(`${origin}/name`).then(({ status }) => status, causeOf)

  const before = await lets()
  await listener.serve(createApp('one'))
  const during = await lets()
  await listener.end(0)

  expect([before, during, await lets()]).toEqual(['ECONNREFUSED', 200, 'ECONNREFUSED'])
})

test('drain() refuses connections, serves each that is kept once more, and closes it with that answer', async () => {
  const { listener, origin } = await listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  await listener.serve(createApp('one'))
  const first = await ask(`${origin}/name`, agent)

  const drained = listener.drain()
  await untilClosed()
  const refused = await fetch(`${origin}/name`).then(({ status }) => status, causeOf)
  const last = await ask(`${origin}/name`, agent)
  await drained

  expect(refused).toBe('ECONNREFUSED')
  expect([last.body, last.localPort]).toEqual([{ name: 'one' }, first.localPort])
  expect([first.connection, last.connection]).toEqual(['keep-alive', 'close'])
})

test.each([
  ['has not begun', false],
  ['has begun', true],
])(
  'drain() waits for an answer that %s, and closes its connection with it',
  async (_, hasBegun) => {
    const { listener, origin } = await listen()
    const app = createApp('one')
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    app.get('/slow', async (_request, reply) => {
      reply.hijack()
      if (hasBegun) reply.raw.writeHead(200).write('"be')
      asked.resolve()
      await gate.promise
      if (!hasBegun) reply.raw.writeHead(200).write('"be')
      reply.raw.end('gun"')
    })
    await listener.serve(app)
    const agent = new Agent({ keepAlive: true })
    const answer = ask(`${origin}/slow`, agent)
    await asked.promise

    const drained = listener.drain()
    await untilClosed()
    gate.resolve()
    const { body } = await answer
    const next = await ask(`${origin}/name`, agent).catch(({ code }: { code: string }) => code)
    await drained

    expect([body, next]).toEqual(['begun', expect.stringMatching(/ECONNRE(?:FUSED|SET)/)])
  },
)

test('what runs in the process is served when nobody else is let in any more', async () => {
  const { listener } = await listen()
  const root = await listener.openInside()
  await listener.serve(createApp('one'))

  await listener.drain()

  expect(await (await fetch(`${root}/name`)).json()).toEqual({ name: 'one' })
})

/** A listener closes when it has taken what the system had taken for it. */
async function untilClosed(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
}

function causeOf({ cause }: { cause: { code: string } }): string {
  return cause.code
}

async function ask(url: string, agent: Agent) {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  const { localPort } = response.socket
  return { body: await json(response), localPort, connection: response.headers.connection }
}
