import { expect, test } from 'vitest'
import { createProviderHttp, readJson } from '../../../src/service/providers/provider-http.ts'
import { startServer } from '../../platform/http/local-server.ts'
import { openProxies, startProxyServer } from '../../platform/http/proxy-server.ts'
import { findClosedAddress } from '../../platform/http/tcp-server.ts'

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

// Promise: A refusal of a creation has no end
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

test('createProviderHttp() reaches a provider through its proxies', async () => {
  const proxy = await startProxyServer({ names: { 'provider.test': '127.0.0.1' } })
  const server = await startServer((response) => void response.end('{}'))
  const baseUrl = server.baseUrl.replace('127.0.0.1', 'provider.test')
  const send = createProviderHttp({ baseUrl, proxies: openProxies(proxy.url) })

  const exchange = await send({ method: 'POST', path: 'work', body: {}, signal })

  expect(exchange).toMatchObject({ outcome: 'answered', status: 200 })
  expect(proxy.asked).toEqual([new URL(baseUrl).host])
})

test('createProviderHttp() recognises a request that never left', async () => {
  const send = createProviderHttp({ baseUrl: `http://${await findClosedAddress()}` })

  expect(await send({ method: 'GET', path: 'work', signal })).toMatchObject({
    outcome: 'unsent',
  })
})
