import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { HealthReport } from '../../src/process/health.ts'
import { openHttpListener } from '../../src/process/http-listener.ts'

const STARTING = { ready: false, reasons: ['the process is starting'], version: '1.2.3' }
const READY = { ready: true, reasons: [], version: '1.2.3' }

async function listen() {
  let report: HealthReport = STARTING
  const listener = await openHttpListener({
    host: '127.0.0.1',
    port: 0,
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

/** An app that answers its name, and begins an answer that does not end. */
function createApp(name: string) {
  const app = Fastify()
  app.get('/name', async () => ({ name }))
  app.get('/endless', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200).write('begun')
  })
  return app
}

// Promise: A process starts, begins again or stops
test('/healthz reports the health, without an app too', async () => {
  const { origin, report } = await listen()

  const before = await fetch(`${origin}/healthz`)
  report(READY)
  const after = await fetch(`${origin}/healthz`)

  expect([before.status, await before.json()]).toEqual([503, STARTING])
  expect([after.status, await after.json()]).toEqual([200, READY])
})

// Promise: A process starts, begins again or stops
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

test('a connection that is kept goes on with the next app', async () => {
  const { listener, origin } = await listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const endFirst = await listener.serve(createApp('first'))
  const first = await ask(`${origin}/name`, agent)
  await endFirst(0)
  await listener.serve(createApp('second'))

  const second = await ask(`${origin}/name`, agent)

  expect([first.body, second.body]).toEqual([{ name: 'first' }, { name: 'second' }])
  expect(second.localPort).toBe(first.localPort)
})

test('the end of an app cuts an answer that does not end, and none of the next app', async () => {
  const { listener, origin } = await listen()
  const endFirst = await listener.serve(createApp('first'))
  const cut = (await fetch(`${origin}/endless`)).body?.getReader()
  await cut?.read()
  await listener.serve(createApp('second'))
  const kept = (await fetch(`${origin}/endless`)).body?.getReader()
  await kept?.read()

  await endFirst(0)

  await expect(cut?.read()).rejects.toThrow()
  expect(await (await fetch(`${origin}/name`)).json()).toEqual({ name: 'second' })
  await kept?.cancel()
})

async function ask(url: string, agent: Agent) {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  const { localPort } = response.socket
  return { body: await json(response), localPort }
}
