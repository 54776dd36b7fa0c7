import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  AnswerTooLongError,
  createHttpClient,
  type HttpRequest,
  readRetryAfterMs,
  readWholeAnswer,
} from '../../../src/platform/http/http-client.ts'
import { startServer } from './local-server.ts'
import { findClosedAddress, startTcpServer } from './tcp-server.ts'

const TIMEOUTS = { connectMs: 5000, silenceMs: 5000 }
const BYTES_MAX = 1000

test('open() sends the request and resolves with the head of the answer, before its body comes', async () => {
  const server = await startServer((response, { body }) => {
    response.writeHead(201, { 'x-kind': 'test' }).end(body)
  })
  const http = open()

  const exchange = await http.open(
    post(`${server.baseUrl}/a?b=c`, { headers: { authorization: 'Bearer k' }, body: '{"t":"щ"}' }),
  )

  if (exchange.outcome !== 'answered') throw exchange.cause
  expect(exchange).toMatchObject({ status: 201, headers: { 'x-kind': 'test' } })
  expect(await exchange.body.text()).toBe('{"t":"щ"}')
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    path: '/api/v1/a?b=c',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
  })
})

test('open() follows no redirect', async () => {
  const server = await startServer((response) => {
    response.writeHead(302, { location: '/api/v1/other' }).end()
  })

  const exchange = await open().open(post(server.baseUrl))

  expect(exchange).toMatchObject({ outcome: 'answered', status: 302 })
  expect(server.requests).toHaveLength(1)
})

describe('a request of open() is unsent', () => {
  test('when its connection is refused', async () => {
    expect(await send(`http://${await findClosedAddress()}`)).toBe('unsent')
  })

  test('when the connection is reset before it is secure', async () => {
    const { address } = await startTcpServer((socket) => socket.resetAndDestroy())

    expect(await send(`https://${address}`)).toBe('unsent')
  })

  test('when it was aborted before', async () => {
    const server = await startServer(() => {})
    const signal = AbortSignal.abort(new Error('stopped'))

    expect(await open().open(post(server.baseUrl, { signal }))).toEqual({
      outcome: 'unsent',
      cause: new Error('stopped'),
    })
    expect(server.connections()).toBe(0)
  })
})

describe('a request of open() is lost', () => {
  const onRequest = (act: (socket: Socket) => void) => (socket: Socket) =>
    void socket.once('data', () => act(socket))

  test.each<[string, (socket: Socket) => void]>([
    ['is reset before the answer', onRequest((socket) => socket.resetAndDestroy())],
    ['breaks off within the head', onRequest((socket) => socket.end('HTTP/1.1 200 O'))],
    ['says nothing for too long', onRequest(() => {})],
  ])('when its connection %s', async (_name, take) => {
    const { address } = await startTcpServer(take)

    expect(await send(`http://${address}`, { headersMs: 50 })).toBe('lost')
  })

  test('when it is aborted after it went out, at once', async () => {
    const stopping = new AbortController()
    const reason = new Error('stopped')
    const server = await startServer(() => stopping.abort(reason))

    expect(await open().open(post(server.baseUrl, { signal: stopping.signal }))).toEqual({
      outcome: 'lost',
      cause: reason,
    })
  })
})

describe('readWholeAnswer()', () => {
  const HALF = 'HTTP/1.1 %\r\ncontent-length: 10\r\n\r\nhalf'

  test.each([
    ['200 OK', 'lost'],
    ['402 Payment Required', 'answered'],
  ])('of %s whose body breaks off is %s', async (status, outcome) => {
    const { address } = await startTcpServer((socket) => {
      socket.once('data', () => socket.end(HALF.replace('%', status)))
    })

    expect(await readFrom(`http://${address}`)).toMatchObject({
      outcome,
      ...(outcome === 'answered' && { body: Buffer.alloc(0) }),
    })
  })

  test.each([
    [200, 'lost'],
    [429, 'answered'],
  ])('of %i whose body falls silent is %s', async (status, outcome) => {
    const server = await startServer((response) => {
      response.writeHead(status).write('half')
    })

    expect(await readFrom(server.baseUrl, { silenceMs: 50 })).toMatchObject({ outcome })
  })

  test('reads as many bytes as it may, and no more', async () => {
    const server = await startServer((response, { path }) => {
      response.end('x'.repeat(path.endsWith('long') ? BYTES_MAX + 1 : BYTES_MAX))
    })

    const whole = await readFrom(server.baseUrl)
    const tooLong = await readFrom(`${server.baseUrl}/long`)

    expect(whole).toMatchObject({ outcome: 'answered', body: { length: BYTES_MAX } })
    expect(tooLong).toMatchObject({ outcome: 'lost', cause: expect.any(AnswerTooLongError) })
  })
})

function open(timeouts: Partial<typeof TIMEOUTS> = {}) {
  const http = createHttpClient({ ...TIMEOUTS, ...timeouts })
  onTestFinished(() => http.close())
  return http
}

function post(url: string, request: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'POST', url, headers: {}, body: '{}', headersMs: 5000, ...request }
}

async function send(
  url: string,
  request: Partial<HttpRequest> = {},
  timeouts: Partial<typeof TIMEOUTS> = {},
): Promise<string> {
  return (await open(timeouts).open(post(url, request))).outcome
}

async function readFrom(url: string, timeouts: Partial<typeof TIMEOUTS> = {}) {
  const exchange = await open(timeouts).open(post(url))
  if (exchange.outcome !== 'answered') throw exchange.cause
  return await readWholeAnswer(exchange, BYTES_MAX)
}

const NOW = new Date('2026-11-21T10:00:00Z')

test.each([
  ['7', 7000],
  [' 0 ', 0],
  ['1.5', 1500],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['', undefined],
  ['-1', undefined],
  ['soon', undefined],
  ['99999999999999999999', undefined],
  [undefined, undefined],
])('readRetryAfterMs() reads %j', (value, expected) => {
  expect(readRetryAfterMs({ 'retry-after': value }, NOW)).toBe(expected)
})

test("readRetryAfterMs() counts a date from the answer's own clock", () => {
  const headers = {
    date: 'Sat, 21 Nov 2026 11:00:00 GMT',
    'retry-after': 'Sat, 21 Nov 2026 11:00:02 GMT',
  }

  expect(readRetryAfterMs(headers, NOW)).toBe(2000)
})
