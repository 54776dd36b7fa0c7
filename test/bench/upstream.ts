// An OpenAI-compatible model, and a service as the bot sees it, in a process of its own. The last message says how to
// answer ("named q7: 12 deltas, one every 100 ms after 200 ms"); /asked has when it came. Tasks are never ready; /polls
// counts how they are polled.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { POLL_MS } from '../../src/bot/media/poll.ts'

const SHAPE = /(?:named (\w+:) )?(\d+) deltas, one every (\d+) ms after (\d+) ms/
const TASK_PATH = '/api/v1/task/'
/** A poll within so long after it was due is in time. */
const IN_TIME_MS = 1_000
const HEAD = { id: 'chatcmpl-bench', created: 0, model: 'bench' }
const GENERATING = { status: 'generating', result_urls: null, error: null }
const PRICES = { context_tokens: 1_000_000, prompt_rub_per_1m: 150, completion_rub_per_1m: 600 }

const dueAt = new Map<number, number>()
let polls = 0
let inTime = 0
let askedAt = 0

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request
  if (url.startsWith(TASK_PATH)) {
    recordPoll(Number(url.slice(TASK_PATH.length)))
    return sendJson(response, GENERATING)
  }
  if (url.endsWith('/completions')) return complete(request, response)
  if (url === '/asked') return sendJson(response, askedAt)
  if (url === '/polls') {
    if (method === 'DELETE') dueAt.clear()
    if (method !== 'GET') [polls, inTime] = [0, 0]
    const overdue = [...dueAt.values()].filter((due) => performance.now() - due > IN_TIME_MS)
    return sendJson(response, { tasks: dueAt.size, polls: polls + overdue.length, inTime })
  }
  if (url === '/api/v1/chats/models') {
    return sendJson(response, { models: [{ id: 'bench-model', family: 'A', ...PRICES }] })
  }
  if (url === '/api/v1/balance') return sendJson(response, { balance_rub: 1_000_000 })
  return sendJson(response, { detail: 'Not found' }, 404)
}

function recordPoll(taskId: number): void {
  const now = performance.now()
  const lateMs = now - (dueAt.get(taskId) ?? now)
  polls += 1
  if (lateMs >= 0 && lateMs <= IN_TIME_MS) inTime += 1
  dueAt.set(taskId, now + POLL_MS)
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  askedAt = Date.now()
  const { messages, stream } = JSON.parse(await text(request))
  const asked = SHAPE.exec(JSON.stringify(messages.at(-1)))
  if (asked === null) return sendJson(response, { error: { message: 'Unknown shape' } }, 400)
  const [, name = 'a kopeck'] = asked
  const [deltas = 1, intervalMs = 0, firstAfterMs = 0] = asked.slice(2).map(Number)
  const usage = { prompt_tokens: 20, completion_tokens: deltas, total_tokens: 20 + deltas }
  const contentOf = (index: number) =>
    index === deltas - 1 ? ' END' : ` ${index === 0 ? name : 'a kopeck'}`
  if (stream !== true) {
    await delay(firstAfterMs)
    const content = Array.from({ length: deltas }, (_, index) => contentOf(index)).join('')
    const message = { role: 'assistant', content }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return sendJson(response, { ...HEAD, object: 'chat.completion', choices, usage })
  }
  const startedAt = performance.now()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let index = 0; index < deltas; index += 1) {
    // Late timers must not add up: each delta has its own due time.
    const waitMs = startedAt + firstAfterMs + index * intervalMs - performance.now()
    if (waitMs > 0) await delay(waitMs)
    if (response.destroyed) return
    response.write(toEvent({ choices: [{ index: 0, delta: { content: contentOf(index) } }] }))
  }
  const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }]
  const cost = { cost_rub: 0.015, cost_coins: 0.015 }
  response.end(`${toEvent({ choices, usage, ...cost })}data: [DONE]\n\n`)
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...data })}\n\n`
}

function sendJson(response: ServerResponse, data: object | number, status = 200): void {
  const body = JSON.stringify(data)
  const length = Buffer.byteLength(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length })
  response.end(body)
}

const server = createServer((request, response) => {
  handle(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', address: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
