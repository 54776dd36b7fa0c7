import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { MP4 } from '../../../media-files.ts'
import { type ReceivedRequest, sendJson, startServer } from '../../../platform/http/local-server.ts'
import { createRandom } from '../random.ts'

/** The price of every clip here. */
export const PRICE_RUB = 40
/** The share of tasks that fail; of looks at them, half fail. */
const FAILING_TASKS = 0.1
const FAILING_POLLS = 0.5
const TASK_MS = { min: 1_000, max: 15_000 }
/** Longer than a look is waited for. */
const HANGING_MS = 12_000

/** A task of the service. */
export interface UnsteadyTask {
  id: number
  key: string
  prompt: string
  status: 'generating' | 'success' | 'fail'
}

/**
 * A remote service on a bad line, over real HTTP: creations are refused, or lose their answer after the
 * task was made; half of all looks at a task are refused, broken, lost or hang. It honours idempotency
 * keys and keeps the price of what it made.
 */
export async function startUnsteadyService({ seed }: { seed: string }) {
  const random = createRandom(`${seed} service`)
  const tasks = new Map<string, UnsteadyTask & { endsAt: number; end: 'success' | 'fail' }>()
  const polls = new Map<number, number[]>()
  const { baseUrl } = await startServer(answer)
  const origin = new URL(baseUrl).origin
  return { baseUrl, tasks: () => [...tasks.values()], polls }

  async function answer(response: ServerResponse, request: ReceivedRequest): Promise<void> {
    const { path } = request
    if (path.endsWith('/videos/vidgen-generate')) return create(response, request)
    if (path.includes('/task/')) return showTask(response, Number(path.split('/').at(-1)))
    if (path.startsWith('/clips/')) {
      return void response.writeHead(200, { 'content-type': 'video/mp4' }).end(MP4)
    }
    if (path.endsWith('/chats/models')) return sendJson(response, 200, { models: [] })
    const headers = { 'accept-idempotency-key': 'creation' }
    if (path.endsWith('/balance'))
      return sendJson(response, 200, { balance_rub: 1_000_000 }, headers)
    sendJson(response, 404, { detail: 'Not found' })
  }

  async function create(
    response: ServerResponse,
    { headers, body, socket }: ReceivedRequest,
  ): Promise<void> {
    const luck = random.integer(1, 100)
    if (luck <= 10) return sendJson(response, 503, { detail: 'Away' }, { 'retry-after': '1' })
    if (luck <= 20) return void socket.resetAndDestroy()
    const key = String(headers['idempotency-key'])
    const task = tasks.get(key) ?? makeTask(key, JSON.parse(body).prompt)
    if (luck <= 45) return void socket.resetAndDestroy()
    sendJson(response, 200, { task_id: task.id })
  }

  function makeTask(key: string, prompt: string) {
    const end = random.chance(FAILING_TASKS) ? ('fail' as const) : ('success' as const)
    const endsAt = performance.now() + random.integer(TASK_MS.min, TASK_MS.max)
    const task = { id: tasks.size + 1, key, prompt, status: 'generating' as const, endsAt, end }
    tasks.set(key, task)
    return task
  }

  async function showTask(response: ServerResponse, id: number): Promise<void> {
    polls.set(id, [...(polls.get(id) ?? []), performance.now()])
    const task = [...tasks.values()].find((one) => one.id === id)
    if (task === undefined) return sendJson(response, 404, { detail: 'Not found' })
    if (random.chance(FAILING_POLLS)) return failPoll(response)
    if (performance.now() >= task.endsAt) task.status = task.end
    sendJson(response, 200, {
      status: task.status,
      result_urls: task.status === 'success' ? [`${origin}/clips/${id}.mp4`] : null,
      error: task.status === 'fail' ? { code: 501, message: 'Not this one' } : null,
    })
  }

  async function failPoll(response: ServerResponse): Promise<void> {
    switch (random.pick(['refused', 'broken', 'lost', 'hangs'] as const)) {
      case 'refused':
        return sendJson(response, 503, { detail: 'Away' })
      case 'broken':
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"status"')
      case 'lost':
        return void response.socket?.resetAndDestroy()
      case 'hangs':
        await delay(HANGING_MS, undefined, { ref: false })
        return void response.destroy()
    }
  }
}

export type UnsteadyService = Awaited<ReturnType<typeof startUnsteadyService>>
