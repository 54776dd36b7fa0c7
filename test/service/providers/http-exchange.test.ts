import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  createHttpExchange,
  readJson,
  readRetryAfterMs,
} from '../../../src/service/providers/http-exchange.ts'
import { startServer } from '../../client/local-server.ts'

const send = createHttpExchange()
const { signal } = new AbortController()

describe('createHttpExchange()', () => {
  test('sends JSON and reads the whole answer, each time over a connection of its own', async () => {
    const server = await startServer((response, { body }) => {
      response.writeHead(201, { 'x-kind': 'test' }).end(body)
    })
    const request = {
      method: 'POST',
      url: `${server.baseUrl}/a?b=c`,
      headers: { authorization: 'Bearer k' },
      body: { text: 'щ' },
      signal,
    } as const

    const exchanges = [await send(request), await send(request)]

    expect(exchanges[0]).toMatchObject({
      outcome: 'answered',
      status: 201,
      headers: { 'x-kind': 'test' },
      body: Buffer.from('{"text":"щ"}'),
    })
    expect(server.requests[0]).toMatchObject({
      path: '/api/v1/a?b=c',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    })
    expect(server.connections()).toBe(2)
  })

  test('tells a request that never left from one whose answer was lost', async () => {
    const dead = await startServer((response) => void response.destroy())
    const half = await startServer((response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy())
    })
    const get = { method: 'GET', headers: {}, signal } as const

    const outcomes = [
      await send({ ...get, url: `http://127.0.0.1:${await findClosedPort()}/` }),
      await send({ ...get, url: dead.baseUrl }),
      await send({ ...get, url: half.baseUrl }),
    ].map(({ outcome }) => outcome)

    expect(outcomes).toEqual(['unsent', 'lost', 'lost'])
  })

  test('takes the status of a refusal although its body did not arrive', async () => {
    const server = await startServer((response) => {
      response.writeHead(422, { 'content-length': 10 }).write('half', () => response.destroy())
    })

    const exchange = await send({ method: 'GET', url: server.baseUrl, headers: {}, signal })

    expect(exchange).toMatchObject({ outcome: 'answered', status: 422, body: Buffer.alloc(0) })
  })

  test('ends at once when it is aborted: before it left, or after', async () => {
    const reason = new Error('stopping')
    const arrived = Promise.withResolvers<void>()
    const silent = await startServer(() => arrived.resolve())
    const stop = new AbortController()
    const request = { method: 'GET', url: silent.baseUrl, headers: {} } as const

    const unsent = await send({ ...request, signal: AbortSignal.abort(reason) })
    const sending = send({ ...request, signal: stop.signal })
    await arrived.promise
    stop.abort(reason)

    expect(unsent).toEqual({ outcome: 'unsent', cause: reason })
    expect(await sending).toEqual({ outcome: 'lost', cause: reason })
    expect(silent.requests).toHaveLength(1)
  })
})

test.each([
  ['7', 7000],
  ['0', 0],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('readRetryAfterMs() of %s', (value, expected) => {
  const answer: Answer = {
    status: 429,
    headers: value === undefined ? {} : { 'retry-after': value },
    body: Buffer.alloc(0),
  }

  expect(readRetryAfterMs(answer, new Date('2026-11-21T10:00:00Z'))).toBe(expected)
})

test('readJson() of what is no JSON is undefined', () => {
  expect(readJson({ status: 200, headers: {}, body: Buffer.from('<html>') })).toBeUndefined()
})

async function findClosedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
