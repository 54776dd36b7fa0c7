import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MP4 } from '../../media-files.ts'

/** One creation as it reached the service. */
export interface Creation {
  body: Record<string, unknown>
  key: string
  callbackUrl: string | undefined
}

export type Answer = (response: ServerResponse) => void | Promise<void>

/** The service over real HTTP, its answers decided by the test. */
export async function startFakeService() {
  const creations: Creation[] = []
  const polls: { taskId: number; at: number }[] = []
  const taskByKey = new Map<string, number>()
  const tasks = new Map<number, unknown>()
  const balanceHeaders: Record<string, string> = {}
  let balanceRub = 100
  let priceRub = 0
  /** Used up in order; without one a creation makes a task. */
  const creationAnswers: ((creation: Creation) => Answer)[] = []
  let decideCreation: (creation: Creation) => Answer = created
  const pollAnswers: Answer[] = []
  /** Used up in order; without one the video comes. */
  const videoAnswers: Answer[] = []
  const video = MP4
  const sendVideo: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' }).end(video)
  }
  let requests = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    const path = request.url ?? ''
    if (path.startsWith('/api/v1/')) requests += 1
    if (path.endsWith('-generate')) {
      const key = String(request.headers['idempotency-key'])
      const callbackUrl = request.headers['x-callback-url'] as string | undefined
      const creation = { body: JSON.parse(text) as Creation['body'], key, callbackUrl }
      creations.push(creation)
      const decide = creationAnswers.shift() ?? decideCreation
      const answer = decide(creation)
      return answer(response)
    }
    if (path.includes('/task/')) {
      const taskId = Number(path.split('/').at(-1))
      polls.push({ taskId, at: Date.now() })
      const answer = pollAnswers.shift() ?? json(200, tasks.get(taskId) ?? GENERATING)
      return answer(response)
    }
    if (path.endsWith('/balance'))
      return json(200, { balance_rub: balanceRub }, balanceHeaders)(response)
    if (path.endsWith('/video.mp4')) {
      const answer = videoAnswers.shift() ?? sendVideo
      return answer(response)
    }
    return json(404, { detail: 'Not found' })(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    baseUrl: `${origin}/api/v1`,
    video,
    creations,
    polls,
    requests: () => requests,
    creationAnswers,
    pollAnswers,
    videoAnswers,
    videoUrl: `${origin}/video.mp4`,
    /** Makes the task, as a service that honours keys does: one for a key. */
    created,
    decideCreations: (decide: typeof decideCreation) => {
      decideCreation = decide
    },
    succeeds: (taskId: number, ...urls: string[]) => {
      const resultUrls = urls.length > 0 ? urls : [`${origin}/video.mp4`]
      return tasks.set(taskId, { status: 'success', result_urls: resultUrls, error: null })
    },
    fails: (taskId: number, error: { code: number; message: string }) =>
      tasks.set(taskId, { status: 'fail', result_urls: null, error }),
    costs: (rub: number) => {
      priceRub = rub
    },
    honoursKeys: () => {
      balanceHeaders['accept-idempotency-key'] = 'creation'
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }

  function created({ key }: Creation): Answer {
    if (!taskByKey.has(key)) balanceRub -= priceRub
    const taskId = taskByKey.get(key) ?? taskByKey.size + 1
    taskByKey.set(key, taskId)
    return json(200, { task_id: taskId })
  }
}

const GENERATING = { status: 'generating', result_urls: null, error: null }

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** The request was read and never answered. */
export const lost: Answer = (response) => {
  response.destroy()
}

/** Gives the answer once it is opened. */
export function gated(answer: Answer) {
  const gate = Promise.withResolvers<void>()
  return {
    open: () => gate.resolve(),
    answer: (async (response) => {
      await gate.promise
      await answer(response)
    }) satisfies Answer,
  }
}
