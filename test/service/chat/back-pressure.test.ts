import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { delta, startOpenAiServer } from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  theHold,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'

const DELTA = delta('x'.repeat(64 * 1024))
/** Far above what sockets, streams and one hop after the other can hold. */
const BYTES_MAX = 256 * 1024 * 1024
/** So many turns of the event loop in which nothing moves mean that nothing will. */
const QUIET_TURNS = 300

async function start() {
  const pulled = { bytes: 0 }
  const upstream = await startOpenAiServer(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    while (pulled.bytes < BYTES_MAX && !response.destroyed) {
      pulled.bytes += DELTA.length
      if (!response.write(DELTA)) await drained(response)
    }
  })
  untilTestEnds(upstream)
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  untilTestEnds(kopeck)
  return { upstream, kopeck, pulled }
}

test('a client that does not read stops the provider: little is pulled, and less than that is kept', async () => {
  const { kopeck, upstream, pulled } = await start()
  const socket = await ask(kopeck)

  await untilQuiet(pulled)

  const whileNobodyReads = pulled.bytes
  socket.destroy()
  await upstream.clientLeft
  expect(whileNobodyReads).toBeLessThan(BYTES_MAX / 4)
  await kopeck.service.stop(20_000)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'captured' })
})

async function ask(kopeck: TestService) {
  const body = JSON.stringify({
    model: 'alpha',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  })
  const { hostname, port } = new URL(kopeck.origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(
    [
      'POST /api/v1/chats/completions HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${kopeck.apiKey}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
  await untilStreaming(kopeck)
  return socket
}

async function untilStreaming({ pool }: TestService): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT FROM service.request WHERE output_at IS NOT NULL')
    if (rows.length > 0) return
  }
}

async function untilQuiet(pulled: { bytes: number }): Promise<void> {
  let seen = 0
  for (let quiet = 0; quiet < QUIET_TURNS || pulled.bytes === 0; quiet += 1) {
    if (pulled.bytes !== seen) quiet = 0
    seen = pulled.bytes
    await new Promise(setImmediate)
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const closed = new AbortController()
  const close = () => closed.abort()
  response.once('close', close)
  await once(response, 'drain', { signal: closed.signal }).catch(() => {})
  response.off('close', close)
}
