// An OpenAI-compatible model in a process of its own. The last message says in JSON how it answers.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { AnswerShape } from './answer-shape.ts'

interface UpstreamRequest {
  messages: { content: string }[]
  stream?: boolean
}

const DELTA = ' a kopeck'
const DELTA_EVENT = toEvent({ choices: [{ index: 0, delta: { content: DELTA } }] })

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, stream } = JSON.parse(await text(request)) as UpstreamRequest
  const shape = JSON.parse(messages.at(-1)?.content ?? '') as AnswerShape
  if (stream === true) await answerStream(response, shape)
  else await answerPlain(response, shape)
}

async function answerPlain(response: ServerResponse, shape: AnswerShape): Promise<void> {
  if (shape.firstDeltaAfterMs > 0) await delay(shape.firstDeltaAfterMs)
  const message = { role: 'assistant', content: DELTA.repeat(shape.deltas) }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const head = { id: 'chatcmpl-bench', object: 'chat.completion', created: 0, model: 'bench' }
  const body = JSON.stringify({ ...head, choices, usage: toUsage(shape) })
  const length = Buffer.byteLength(body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
  response.end(body)
}

async function answerStream(response: ServerResponse, shape: AnswerShape): Promise<void> {
  const { firstDeltaAfterMs, deltas, intervalMs } = shape
  const startedAt = performance.now()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let index = 0; index < deltas; index += 1) {
    // Late timers must not add up: each delta has an instant of its own.
    const dueAt = startedAt + firstDeltaAfterMs + index * intervalMs
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await delay(waitMs)
    if (response.destroyed) return
    response.write(DELTA_EVENT)
  }
  const end = toEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  response.end(`${end}${toEvent({ choices: [], usage: toUsage(shape) })}data: [DONE]\n\n`)
}

function toUsage({ deltas }: AnswerShape): object {
  return { prompt_tokens: 20, completion_tokens: deltas, total_tokens: 20 + deltas }
}

function toEvent(data: object): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench' }
  return `data: ${JSON.stringify({ ...head, ...data })}\n\n`
}

const server = createServer((request, response) => {
  // Who left has no use for an answer.
  answer(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', address: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
