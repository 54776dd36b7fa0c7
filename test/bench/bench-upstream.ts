// An OpenAI-compatible model in a process of its own. The last message says in JSON how it answers.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { AnswerShape } from './local-service.ts'

interface UpstreamRequest {
  messages: { content: string }[]
  stream?: boolean
}

const DELTA = ' a kopeck'
const USAGE = { prompt_tokens: 20, completion_tokens: 20, total_tokens: 40 }

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, stream } = JSON.parse(await text(request)) as UpstreamRequest
  const shape = JSON.parse(messages.at(-1)?.content ?? '') as AnswerShape
  const startedAt = performance.now()
  if (stream !== true) {
    await delay(shape.firstDeltaAfterMs)
    const message = { role: 'assistant', content: DELTA.repeat(shape.deltas) }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage: USAGE }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let index = 0; index < shape.deltas; index += 1) {
    // Late timers must not add up: each delta has an instant of its own.
    const dueAt = startedAt + shape.firstDeltaAfterMs + index * shape.intervalMs
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await delay(waitMs)
    if (response.destroyed) return
    response.write(toEvent({ choices: [{ index: 0, delta: { content: DELTA } }] }))
  }
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  response.end(`${toEvent(end)}${toEvent({ choices: [], usage: USAGE })}data: [DONE]\n\n`)
}

function toEvent(data: object): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', model: 'bench' }
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
