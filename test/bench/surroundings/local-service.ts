import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Balance } from '../../../src/contract/balance.ts'
import { type ChatChunk, type ChatRequest, STREAM_DONE } from '../../../src/contract/chat.ts'
import type { ChatModels } from '../../../src/contract/models.ts'
import type { AnswerShape } from './answer-shape.ts'

const MODEL = 'bench-model'

/** One completion as the service saw it. Instants are of `performance.now()`. */
export interface Exchange {
  /** Messages in the request, the newest included. */
  messages: number
  /** When the last byte of the request was there. */
  requestAt: number
  firstDeltaAt: number | undefined
  lastDeltaAt: number | undefined
  /** When each delta was written. */
  deltasAt: number[]
}

/** The chat half of the service, with no work and no money in it. */
export interface LocalService {
  /** Ends in /api/v1. */
  baseUrl: string
  /** The requests and answers by the text of the newest message. */
  exchanges: ReadonlyMap<string, Exchange>
  close(): Promise<void>
}

/**
 * Starts it on a free port of this machine.
 *
 * @param shapeOf The shape of the answer to a text.
 * @param deltaOf One piece of the answer to a text; a shape has as many as it says.
 */
export async function startLocalService({
  shapeOf,
  deltaOf,
  contextTokens = 1_000_000,
}: {
  shapeOf(prompt: string): AnswerShape
  deltaOf(prompt: string, index: number): string
  /** The length of the context that its model reports. */
  contextTokens?: number
}): Promise<LocalService> {
  const exchanges = new Map<string, Exchange>()
  const closing = new AbortController()
  const server = createServer((request, response) => {
    // Who left, or was cut off by close(), has no use for an answer.
    handle(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, exchanges, close }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url}`
    if (route === 'POST /api/v1/chats/completions') return complete(request, response)
    if (route === 'GET /api/v1/chats/models')
      return sendJson(response, 200, toModels(contextTokens))
    if (route === 'GET /api/v1/balance') return sendJson(response, 200, BALANCE)
    return sendJson(response, 404, { detail: 'Not found' })
  }

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const requestAt = performance.now()
    const { messages } = JSON.parse(body) as ChatRequest
    const prompt = messages.at(-1)?.content ?? ''
    const exchange: Exchange = {
      messages: messages.length,
      requestAt,
      firstDeltaAt: undefined,
      lastDeltaAt: undefined,
      deltasAt: [],
    }
    exchanges.set(prompt, exchange)
    const { firstDeltaAfterMs, deltas, intervalMs } = shapeOf(prompt)
    for (let index = 0; index < deltas; index += 1) {
      const dueAt = requestAt + firstDeltaAfterMs + index * intervalMs
      // Late timers must not add up: each delta has an instant of its own.
      const waitMs = Math.max(0, dueAt - performance.now())
      await delay(waitMs, undefined, { signal: closing.signal })
      if (index === 0) {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      }
      const event = toEvent(chunk({ content: deltaOf(prompt, index) }))
      exchange.lastDeltaAt = performance.now()
      exchange.firstDeltaAt ??= exchange.lastDeltaAt
      exchange.deltasAt.push(exchange.lastDeltaAt)
      response.write(event)
    }
    response.end(`${toEvent(finalChunk(deltas))}data: ${STREAM_DONE}\n\n`)
  }

  async function close(): Promise<void> {
    closing.abort()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

function toModels(contextTokens: number): ChatModels {
  const prices = { prompt_rub_per_1m: 150, completion_rub_per_1m: 600 }
  return { models: [{ id: MODEL, family: 'A', context_tokens: contextTokens, ...prices }] }
}

const BALANCE: Balance = { balance_rub: 1_000_000 }

function chunk(
  delta: ChatChunk['choices'][number]['delta'],
  finishReason: string | null = null,
): ChatChunk {
  return {
    id: 'req_bench',
    object: 'chat.completion.chunk',
    model: MODEL,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  }
}

function finalChunk(deltas: number): ChatChunk {
  const usage = { prompt_tokens: 100, completion_tokens: deltas, total_tokens: 100 + deltas }
  return { ...chunk({}, 'stop'), usage, cost_rub: 0.015, cost_coins: 0.015 }
}

function toEvent(data: ChatChunk): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
