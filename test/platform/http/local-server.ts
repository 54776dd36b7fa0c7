import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** One request as it reached the server, its body whole. */
export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  socket: Socket
}

export interface LocalServer {
  baseUrl: string
  requests: ReceivedRequest[]
  connections(): number
}

/** A real HTTP server on a free port; it goes away with the test. */
export async function startServer(
  answer: (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>,
): Promise<LocalServer> {
  const requests: ReceivedRequest[] = []
  let connections = 0
  const server = createServer(async (incoming, response) => {
    const { method = '', url: path = '', headers, socket } = incoming
    let body = ''
    for await (const piece of incoming.setEncoding('utf8')) body += piece
    const request = { method, path, headers, body, socket }
    requests.push(request)
    await answer(response, request)
  })
  server.on('connection', () => {
    connections++
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    requests,
    connections: () => connections,
  }
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Begins an event stream; write events to the response. */
export function beginStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}
