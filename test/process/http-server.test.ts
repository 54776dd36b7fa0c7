import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { openHttpListener } from '../../src/process/http-listener.ts'
import { createHttpServer } from '../../src/process/http-server.ts'

const MARKER = 'kvass-7f3a'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(options: { requestMs?: number; requestCheckMs?: number } = {}) {
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const http = createHttpServer({ log })
  http.get('/logged', async (request) => {
    request.log.info('logged')
    return {}
  })
  http.get<{ Params: { name: string } }>('/named/:name', async () => ({}))
  http.get('/failing', async () => {
    throw new Error(MARKER)
  })
  http.get('/away', async () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  })
  http.post('/taken', async ({ body }) => ({ body }))
  http.post(
    '/refused',
    { onRequest: async (_, reply) => reply.code(403).send({}) },
    async () => ({}),
  )
  const health = { report: () => ({ ready: true, reasons: [], version: '1.2.3' }) }
  const listener = await openHttpListener({ host: '127.0.0.1', port: 0, health, ...options })
  await listener.serve(http)
  closers.push(() => listener.end(0).then(listener.close))
  const { port } = listener.bound
  return { port, origin: `http://127.0.0.1:${port}`, lines }
}

test.each(['a', 'Trace-1.2_3', 'x'.repeat(64)])(
  'a request id of the caller is kept, logged and answered: %s',
  async (id) => {
    const { origin, lines } = await serve()

    const response = await fetch(`${origin}/logged`, { headers: { 'x-request-id': id } })

    expect(response.headers.get('x-request-id')).toBe(id)
    expect(lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'logged')?.reqId).toBe(
      id,
    )
  },
)

test.each(['', 'x'.repeat(65), 'a"b'])(
  'a request id that is not well formed is replaced: %j',
  async (id) => {
    const { origin } = await serve()

    const response = await fetch(`${origin}/logged`, { headers: { 'x-request-id': id } })

    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  },
)

test.each([
  ['an unknown path', `/nothing/${MARKER}?key=${MARKER}`, 404],
  ['a path that is not well escaped', `/%zz${MARKER}`, 400],
  ['a path with a part too long', `/named/${MARKER.repeat(20)}`, 414],
])('%s is answered with a detail, and neither quoted nor logged', async (_, path, status) => {
  const { origin, lines } = await serve()

  const response = await fetch(`${origin}${path}`)

  const body = await response.text()
  expect(response.status).toBe(status)
  expect(JSON.parse(body)).toEqual({ detail: expect.any(String) })
  expect(response.headers.get('x-request-id')).not.toBeNull()
  expect([body, ...lines].join()).not.toContain(MARKER)
})

test('bytes that are no HTTP, and a route that throws, put nothing of theirs into the log', async () => {
  const { port, origin, lines } = await serve()
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET / HTTP/9.9\r\nauthorization: Bearer ${MARKER}\r\n\r\n`)

  const answer = await text(socket)
  const failing = await fetch(`${origin}/failing`)

  const body = await failing.text()
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n\{"detail":"[^"]+"\}$/s)
  expect([failing.status, body]).toEqual([500, '{"detail":"The server made a mistake."}'])
  expect([answer, body, ...lines].join()).not.toContain(MARKER)
})

function beginBody(origin: string, path: string, bytes: number) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  // The server may reset it once it has ended.
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n{`,
  )
  return socket
}

test('a request that does not become whole in time is 408, and its connection is cut', async () => {
  const { origin } = await serve({ requestMs: 50, requestCheckMs: 10 })
  const socket = beginBody(origin, '/taken', 1000)

  const closed = once(socket, 'close')
  const answer = await text(socket)

  await closed
  expect(answer).toMatch(/^HTTP\/1\.1 408 .*\r\n\r\n\{"detail":"[^"]+"\}$/s)
})

test('a client that sends its whole body before it reads gets its refusal all the same', async () => {
  const { origin } = await serve()
  const socket = beginBody(origin, '/refused', 30_000_000)

  await new Promise((sent) => socket.write(Buffer.alloc(29_999_999, ' '), sent))
  const answer = await text(socket)

  expect(answer).toMatch(/^HTTP\/1\.1 403 /)
})

test('a route that finds no database is answered with 503, and when to come again', async () => {
  const { origin } = await serve()

  const response = await fetch(`${origin}/away`)

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toEqual({ detail: 'The database is not available now.' })
})
