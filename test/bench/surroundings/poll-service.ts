// A service with nothing but tasks that are being made, in a process of its own. It measures how each task
// is polled, from a POST to /begin on; GET /figures answers with what came of it.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { POLL_MS } from '../../../src/bot/media/task/poll-pace.ts'
import { type PollFigures, PUNCTUAL_MS } from './poll-figures.ts'

const GENERATING = JSON.stringify({ status: 'generating', result_urls: null, error: null })
const TASK_PATH = '/api/v1/task/'

/** When each task is to be polled next: so long after its last answer. */
const dueAt = new Map<number, number>()
const arrivedAt = new Map<number, number>()
let polls = 0
let punctual = 0
let closestMs = Number.POSITIVE_INFINITY
let isMeasuring = false

function recordPoll(taskId: number): void {
  const now = performance.now()
  const due = dueAt.get(taskId)
  if (isMeasuring && due !== undefined) {
    polls += 1
    if (now - due <= PUNCTUAL_MS) punctual += 1
    closestMs = Math.min(closestMs, now - (arrivedAt.get(taskId) ?? Number.NEGATIVE_INFINITY))
  }
  arrivedAt.set(taskId, now)
  dueAt.set(taskId, now + POLL_MS)
}

/** A task that is overdue counts as polled too late. */
function readFigures(): PollFigures {
  const now = performance.now()
  const overdue = [...dueAt.values()].filter((due) => now - due > PUNCTUAL_MS).length
  return { tasks: dueAt.size, polls: polls + overdue, punctual, closestMs }
}

const server = createServer((request, response) => {
  const { method, url = '' } = request
  if (url.startsWith(TASK_PATH)) {
    recordPoll(Number(url.slice(TASK_PATH.length)))
    return answer(200, GENERATING)
  }
  if (method === 'POST' && url === '/begin') {
    isMeasuring = true
    return answer(200, '{}')
  }
  if (url === '/figures') return answer(200, JSON.stringify(readFigures()))
  if (url === '/api/v1/chats/models') return answer(200, '{"models":[{"id":"bench-model"}]}')
  if (url === '/api/v1/balance') return answer(200, '{"balance_rub":1000000}')
  return answer(404, '{"detail":"Not found"}')

  function answer(status: number, body: string): void {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  }
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', address: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
