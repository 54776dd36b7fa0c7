import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the server does with one request, its body read already. */
export type Responder = (
  response: ServerResponse,
  asked: { body: unknown; headers: IncomingMessage['headers']; url: string },
) => unknown

/** A real HTTP server on loopback that has each responder in turn answer one request, and the last one every later request. */
export async function startOpenAiServer(...responders: Responder[]) {
  let requests = 0
  const closed = Promise.withResolvers<void>()
  const server = createServer(async (incoming, response) => {
    const responder = responders[Math.min(requests++, responders.length - 1)]
    // The connection's end, not the answer's: this is how a server learns that its client has left.
    response.on('close', () => {
      if (!response.writableFinished) closed.resolve()
    })
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part)
    await responder?.(response, {
      body: JSON.parse(Buffer.concat(parts).toString()),
      headers: incoming.headers,
      url: incoming.url ?? '',
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requestCount: () => requests,
    /** Resolves when a client left before its answer was whole. */
    clientLeft: closed.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with these bytes as an event stream and ends it. */
export function sends(...parts: (string | Uint8Array)[]): Responder {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) await write(response, part)
    response.end()
  }
}

/** Sends these bytes and then nothing more, the connection left open. */
export function sendsAndHangs(...parts: string[]): Responder {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const part of parts) await write(response, part)
  }
}

/** Sends these bytes and resets the connection. */
export function sendsAndResets(...parts: string[]): Responder {
  return async (response) => {
    await sendsAndHangs(...parts)(response, { body: undefined, headers: {}, url: '' })
    response.socket?.resetAndDestroy()
  }
}

export function refuses(status: number, body: string): Responder {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  }
}

/** One event as OpenAI writes it. */
export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

export const DONE = event('[DONE]')

export function delta(content: string): string {
  return event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
}

export function finish(reason = 'stop'): string {
  return event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
}

/** The tokens, in an event of their own after the last word. */
export function usage(promptTokens: number, completionTokens: number): string {
  const told = { prompt_tokens: promptTokens, completion_tokens: completionTokens }
  return event({ choices: [], usage: told })
}

/** Writes and lets the reader, which lives in the same loop, have it before anything else follows. */
async function write(response: ServerResponse, part: string | Uint8Array): Promise<void> {
  if (part.length > 0) await new Promise((resolve) => response.write(part, resolve))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}
