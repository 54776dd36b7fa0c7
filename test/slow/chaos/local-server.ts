import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request, its body read. */
export interface Asked {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A server on loopback. */
export interface LocalServer {
  origin: string
  close(): Promise<void>
}

/** Has `handle` answer each request, or do to its connection what it likes. */
export async function serve(
  handle: (asked: Asked, response: ServerResponse) => unknown,
): Promise<LocalServer> {
  const server = createServer(async (incoming, response) => {
    // These servers are for clients that leave while we write.
    response.on('error', () => {})
    const parts: Buffer[] = []
    try {
      for await (const part of incoming) parts.push(part)
    } catch {
      return // It left before it had asked.
    }
    const { method = '', url: path = '', headers } = incoming
    await handle({ method, path, headers, body: Buffer.concat(parts) }, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const headers = {
    'content-type': 'application/json',
    ...(status === 429 && { 'retry-after': '1' }),
  }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

/** Resets the connection: the other side cannot take it for an end. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}
