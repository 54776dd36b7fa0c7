import { expect, test } from 'vitest'
import { createProviderHttp, readJson } from '../../../src/service/providers/provider-http.ts'
import { startServer } from '../../http/local-server.ts'
import { findClosedAddress } from '../../http/tcp-server.ts'

const send = createProviderHttp()
const { signal } = new AbortController()

test('createProviderHttp() sends JSON and reads the whole answer', async () => {
  const server = await startServer((response, { body }) => {
    response.writeHead(201).write(body, () => response.end())
  })

  const exchange = await send({
    method: 'POST',
    url: server.baseUrl,
    headers: {},
    body: { text: 'щ' },
    signal,
  })

  if (exchange.outcome !== 'answered') throw exchange.cause
  expect([exchange.status, readJson(exchange)]).toEqual([201, { text: 'щ' }])
  expect(server.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' })
})

test('createProviderHttp() tells a request that never left', async () => {
  const url = `http://${await findClosedAddress()}`

  expect(await send({ method: 'GET', url, headers: {}, signal })).toMatchObject({
    outcome: 'unsent',
  })
})
