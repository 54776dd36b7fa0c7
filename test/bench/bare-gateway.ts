// The plainest gateway: what Node and undici cost when bytes are handed on as they are. It knows no key,
// no money, no limit and no event, and is what our service is measured against.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'

const { UPSTREAM_URL = '' } = process.env
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

async function handOn(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { statusCode, headers, body } = await request(`${UPSTREAM_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: incoming,
    signal: gone.signal,
    dispatcher,
  })
  response.writeHead(statusCode, { 'content-type': String(headers['content-type']) })
  for await (const bytes of body) {
    if (!response.write(bytes)) await new Promise((drained) => response.once('drain', drained))
  }
  response.end()
}

const server = createServer((incoming, response) => {
  handOn(incoming, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', address: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
