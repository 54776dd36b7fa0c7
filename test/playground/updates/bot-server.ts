import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Update } from 'grammy/types'
import { onTestFinished } from 'vitest'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
  update: Update
}

interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** A server that a bot would have for its webhook. `answer` may take its time. */
export async function openBotServer(answer: (received: Received) => Answer | Promise<Answer>) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const one = { headers: request.headers, body, update: JSON.parse(body) as Update }
    received.push(one)
    const { status = 200, headers = {}, body: answered = '' } = await answer(one)
    response.writeHead(status, headers).end(answered)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, received }
}
