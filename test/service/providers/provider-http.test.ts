import { expect, test } from 'vitest'
import { createProviderHttp, readJson } from '../../../src/service/providers/provider-http.ts'
import { startServer } from '../../platform/http/local-server.ts'

const { signal } = new AbortController()

test('createProviderHttp() sends JSON and reads the whole answer', async () => {
  const server = await startServer((response, { body }) => {
    response.writeHead(201).write(body, () => response.end())
  })

  const send = createProviderHttp({ baseUrl: `${server.baseUrl}/`, apiKey: 'key' })

  const exchange = await send({
    method: 'POST',
    path: 'work',
    headers: { 'x-one': '1' },
    body: { text: 'щ' },
    signal,
  })

  if (exchange.outcome !== 'answered') throw exchange.cause
  expect([exchange.status, readJson(exchange)]).toEqual([201, { text: 'щ' }])
  expect(server.requests[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer key',
    'x-one': '1',
  })
  expect(server.requests[0]?.path).toBe('/api/v1/work')
})

test('createProviderHttp() leaves a refusal without end, and has its beginning', async () => {
  const left = Promise.withResolvers<void>()
  const server = await startServer((response, { socket }) => {
    socket.once('close', () => left.resolve())
    response.writeHead(402)
    const write = () => void response.write('top up '.repeat(1000), () => setImmediate(write))
    write()
  })
  const send = createProviderHttp({ baseUrl: server.baseUrl })

  const exchange = await send({ method: 'POST', path: 'work', body: {}, signal })

  if (exchange.outcome !== 'answered') throw exchange.cause
  expect(exchange).toMatchObject({ status: 402, body: { length: 65_536 } })
  expect(exchange.body.toString()).toMatch(/^top up /)
  await left.promise
})
