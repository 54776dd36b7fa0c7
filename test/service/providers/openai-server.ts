import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Handles one request of the server, its body read already. */
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
    clientLeft: closed.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with these bytes as an event stream and ends it; asked for a plain answer, with what the events add up to. */
export function sends(...parts: (string | Uint8Array)[]): Responder {
  return async (response, asked) => {
    await sendsOpen(parts)(response, asked)
    response.end(isPlain(asked) ? toPlain(parts).rest : undefined)
  }
}

/** Sends these bytes and then nothing more, the connection left open. */
export function sendsAndHangs(...parts: string[]): Responder {
  return sendsOpen(parts)
}

/** Sends these bytes and resets the connection. */
export function sendsAndResets(...parts: string[]): Responder {
  return async (response, asked) => {
    await sendsOpen(parts)(response, asked)
    response.socket?.resetAndDestroy()
  }
}

/** Answers as `sends()` does, with a pause before each part; before a plain answer all of them pass. */
export function sendsSlowly(parts: readonly string[], pauseMs: () => number): Responder {
  return async (response, asked) => {
    if (!isPlain(asked)) response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) {
      await delay(pauseMs(), undefined, { ref: false })
      if (!isPlain(asked)) response.write(part)
    }
    if (isPlain(asked)) await sends(...parts)(response, asked)
    else response.end()
  }
}

function sendsOpen(parts: readonly (string | Uint8Array)[]): Responder {
  return async (response, asked) => {
    const contentType = isPlain(asked) ? 'application/json' : 'text/event-stream'
    response.writeHead(200, { 'content-type': contentType })
    response.flushHeaders()
    for (const part of isPlain(asked) ? [toPlain(parts).begun] : parts) await write(response, part)
  }
}

function isPlain({ body }: Parameters<Responder>[1]): boolean {
  return (body as { stream?: boolean } | undefined)?.stream === false
}

function toPlain(parts: readonly (string | Uint8Array)[]): { begun: string; rest: string } {
  const text = parts.map((part) => Buffer.from(part).toString()).join('')
  let content = ''
  let thoughts = ''
  let given: string | undefined
  let end = ''
  let usage = ''
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
    const choice = parseChoice(data)
    if (choice === 'none') return { begun: data, rest: '' }
    content += choice?.delta?.content ?? ''
    thoughts += choice?.delta?.reasoning_content ?? ''
    for (const { function: called } of choice?.delta?.tool_calls ?? []) {
      given = (given ?? '') + called.arguments
    }
    if (choice?.finish_reason) end = `"},"finish_reason":${JSON.stringify(choice.finish_reason)}}]`
    // As it stands: a count may be more than a number can say.
    usage = /,"usage":\{.*(?=\}$)/.exec(data)?.[0] ?? usage
  }
  const beginning = JSON.stringify(content).slice(0, -1)
  const thought = thoughts === '' ? '' : `"reasoning_content":${JSON.stringify(thoughts)},`
  const called = { name: TOOL_NAME, arguments: given }
  const call =
    given === undefined
      ? ''
      : `"tool_calls":${JSON.stringify([{ id: 'c', type: 'function', function: called }])},`
  const begun = `{"choices":[{"index":0,"message":{"role":"assistant",${thought}${call}"content":${beginning}`
  return { begun, rest: end === '' ? '' : `${end}${usage}}` }
}

/** The choice of a chunk, `none` for an event that is no chunk. */
function parseChoice(data: string):
  | {
      delta?: {
        content?: string
        reasoning_content?: string
        tool_calls?: { function: { arguments: string } }[]
      }
      finish_reason?: string | null
    }
  | 'none'
  | undefined {
  if (data === '[DONE]') return undefined
  try {
    const { choices } = JSON.parse(data)
    return choices === undefined ? 'none' : choices[0]
  } catch {
    return 'none'
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

/** What a model thinks before it answers. */
export function thinks(reasoning_content: string): string {
  return event({ choices: [{ index: 0, delta: { reasoning_content }, finish_reason: null }] })
}

/** The tool that a model calls whose calls are put together. */
export const TOOL_NAME = 'f'

/** Pieces of calls of tools. */
export function calls(...tool_calls: object[]): string {
  return event({
    choices: [{ index: 0, delta: { content: null, tool_calls }, finish_reason: null }],
  })
}

export function finish(reason = 'stop'): string {
  return event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
}

/** The tokens, in an event of their own after the last word. */
export function usage(promptTokens: number, completionTokens: number): string {
  const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens }
  return event({ choices: [], usage })
}

/** Writes and lets the reader, which lives in the same loop, have it before anything else follows. */
async function write(response: ServerResponse, part: string | Uint8Array): Promise<void> {
  if (part.length > 0) await new Promise((resolve) => response.write(part, resolve))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}
