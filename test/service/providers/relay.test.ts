import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Task } from '../../../src/contract/tasks.ts'
import type { ProviderOperation } from '../../../src/service/providers/provider.ts'
import { createRelayProvider } from '../../../src/service/providers/relay.ts'
import { type ReceivedRequest, startServer } from '../../platform/http/local-server.ts'
import { createStep } from './generation-step.ts'

const PARAMS = { prompt: 'a fox in the snow', aspect_ratio: '1280:720' }
const UNSENT = { phase: 'unsent', key: 'task-1-7', body: PARAMS }
const SENT = { ...UNSENT, phase: 'sent' }
const BEGUN = { ...UNSENT, phase: 'begun', taskId: 17 }

type Answer = (response: ServerResponse, request: ReceivedRequest) => void

async function startRemote({
  create = answers(200, { task_id: 17 }),
  task = shows({ status: 'generating' }),
  balance = answers(200, { balance_rub: 5 }),
}: {
  create?: Answer
  task?: Answer
  balance?: Answer
}) {
  const clock = { ms: 0 }
  const server = await startServer((response, request) => {
    const { method, path, headers, body } = request
    expect(headers.authorization).toBe('Bearer secret')
    if (method === 'POST') {
      expect([path, headers['content-type']]).toEqual([
        '/api/v1/videos/vidgen-generate',
        'application/json',
      ])
      expect([headers['idempotency-key'], JSON.parse(body)]).toEqual(['task-1-7', PARAMS])
      create(response, request)
    } else if (path === '/api/v1/balance') balance(response, request)
    else {
      expect(path).toBe('/api/v1/task/17')
      task(response, request)
    }
  })
  const provider = createRelayProvider({
    baseUrl: server.baseUrl,
    apiKey: 'secret',
    path: 'videos/vidgen-generate',
    clock: { now: () => clock.ms },
  })
  return { server, clock, provider }
}

function answers(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

function shows(task: Partial<Task> | { status: string }): Answer {
  return answers(200, { result_urls: null, error: null, ...task })
}

const HONOURS_KEYS = answers(200, { balance_rub: 5 }, { 'accept-idempotency-key': 'creation' })
const dies: Answer = (response) => response.destroy()

describe('create', () => {
  test('a creation is stored before it goes out, and again with the id of the task there', async () => {
    const step = createStep()
    const seen: ProviderOperation[] = []
    const { provider } = await startRemote({
      create(response, request) {
        seen.push(...step.saved)
        answers(200, { task_id: 17 })(response, request)
      },
    })

    const operation = await provider.start(PARAMS, 'task-1-7')
    const state = await provider.check(operation, step)

    expect(operation).toEqual(UNSENT)
    expect(seen).toEqual([SENT])
    expect(step.saved).toEqual([SENT, BEGUN])
    expect(state).toEqual({ status: 'generating', checkAfterMs: 3000 })
  })

  test.each([
    [401, 'unauthorized'],
    [402, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'refused'],
  ])('a creation answered with %i is refused for a reason of ours (%s)', async (status, kind) => {
    const { provider, server } = await startRemote({ create: answers(status, { detail: 'no' }) })

    const state = await provider.check(UNSENT, createStep())

    expect(state).toEqual({ status: 'refused', failure: { kind, status, explanation: 'no' } })
    expect(server.requests).toHaveLength(1)
  })

  // Promise: A provider's refusal quotes our key or the customer’s prompt
  test('the explanation of a refusal holds neither our key nor the words of the customer', async () => {
    const detail = 'key secret may not make "a fox in the snow"'
    const { provider } = await startRemote({ create: answers(403, { detail }) })

    const state = await provider.check(UNSENT, createStep())

    expect(JSON.stringify(state)).not.toContain('secret')
    expect(JSON.stringify(state)).not.toContain('a fox in the snow')
  })

  test('a creation whose answer names no task is refused at once', async () => {
    const { provider, server } = await startRemote({ create: answers(200, { id: 17 }) })

    const state = await provider.check(UNSENT, createStep())

    expect(state).toMatchObject({ status: 'refused', failure: { kind: 'refused', status: 200 } })
    expect(server.requests).toHaveLength(1)
  })

  test('a creation answered with 503 has not begun', async () => {
    const step = createStep()
    const { provider } = await startRemote({ create: answers(503, { detail: 'no' }) })

    const state = await provider.check(UNSENT, step)

    expect(state).toMatchObject({ status: 'unbegun', failure: { kind: 'overloaded', status: 503 } })
    expect(step.saved).toEqual([SENT, UNSENT])
  })

  test.each([400, 422, 502])('a creation answered with %i ends the task', async (status) => {
    const step = createStep()
    const { provider } = await startRemote({ create: answers(status, { detail: [] }) })

    const state = await provider.check(UNSENT, step)

    expect(state).toMatchObject({ status: 'fail', code: 502 })
  })

  test('a creation answered with 429 has not begun, and says how long to wait', async () => {
    const step = createStep()
    const { provider } = await startRemote({
      create: answers(429, { detail: 'slower' }, { 'retry-after': '21' }),
    })

    const state = await provider.check(UNSENT, step)

    expect(state).toMatchObject({
      status: 'unbegun',
      failure: { kind: 'rate_limited', retryAfterMs: 21_000 },
    })
    expect(step.saved).toEqual([SENT, UNSENT])
  })

  test('a creation that cannot leave has not begun', async () => {
    const step = createStep()
    const { provider } = await startRemote({})
    const nowhere = createRelayProvider({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', path: 'x' })

    const state = await nowhere.check(UNSENT, step)
    await provider.check(UNSENT, step)

    expect(state).toMatchObject({ status: 'unbegun', failure: { kind: 'unreachable' } })
    expect(step.saved).toEqual([SENT, UNSENT, SENT, BEGUN])
  })

  test.each<[string, Answer]>([
    ['is lost', dies],
    ['is a redirect', answers(302, {})],
    ['is a failure of its own', answers(500, {})],
    ['is the 502 page of a server in between', (response) => response.writeHead(502).end('<p>')],
    ['is a time-out of a server in between', answers(504, {})],
  ])('a creation whose answer %s is in doubt', async (_name, create) => {
    const step = createStep()
    const { provider } = await startRemote({ create })

    expect(await provider.check(UNSENT, step)).toMatchObject({ status: 'unbegun' })

    expect(step.saved).toEqual([SENT])
  })
})

describe('repeat', () => {
  test('a creation in doubt is sent again, with the same key, to a service that honours keys', async () => {
    const step = createStep()
    const { provider } = await startRemote({ balance: HONOURS_KEYS })

    await provider.check(SENT, step)

    expect(step.saved.at(-1)).toEqual(BEGUN)
  })

  test('a creation stays in doubt when its repeat is refused for now', async () => {
    const step = createStep()
    const { provider } = await startRemote({
      balance: HONOURS_KEYS,
      create: answers(429, {}, { 'retry-after': '5' }),
    })

    const state = await provider.check(SENT, step)

    expect(state).toMatchObject({ status: 'unbegun', failure: { retryAfterMs: 5000 } })
    expect(step.saved.at(-1)).toEqual(SENT)
  })

  // Promise: A crash, or a lost answer, hides whether a relay without idempotency keys took a creation
  test('a creation in doubt is never sent again to a service without keys: it is given up', async () => {
    const step = createStep()
    const { provider, server } = await startRemote({})

    const state = await provider.check(SENT, step)

    expect(state).toMatchObject({ status: 'fail', code: 502 })
    expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
    expect(step.saved).toEqual([])
  })

  test('a creation in doubt waits while it cannot learn whether the service honours keys', async () => {
    const { provider, server } = await startRemote({ balance: answers(503, {}) })

    const state = await provider.check(SENT, createStep())

    expect(state).toMatchObject({ status: 'unbegun', failure: { kind: 'overloaded' } })
    expect(server.requests).toHaveLength(1)
  })
})

describe('poll', () => {
  test.each(['waiting', 'queuing', 'generating'])(
    'a task that is %s there goes on',
    async (status) => {
      const { provider } = await startRemote({ task: shows({ status }) })

      const state = await provider.check(BEGUN, createStep())

      expect(state).toEqual({ status: 'generating', checkAfterMs: 3000 })
    },
  )

  test('a success there gives its links', async () => {
    const { provider } = await startRemote({
      task: shows({ status: 'success', result_urls: ['http://a/1.mp4', 'http://a/2.mp4'] }),
    })

    const state = await provider.check(BEGUN, createStep())

    expect(state).toEqual({
      status: 'success',
      results: [
        { type: 'url', url: 'http://a/1.mp4' },
        { type: 'url', url: 'http://a/2.mp4' },
      ],
    })
  })

  test('a failure there gives its reason', async () => {
    const error = { code: 451, message: 'Filtered.' }
    const { provider } = await startRemote({ task: shows({ status: 'fail', error }) })

    expect(await provider.check(BEGUN, createStep())).toEqual({ status: 'fail', ...error })
  })

  test.each<[string, Answer]>([
    ['an unknown status', shows({ status: 'resting' })],
    ['no JSON', (response) => response.end('<html>')],
  ])('a poll that finds %s ends nothing', async (_name, task) => {
    const { provider } = await startRemote({ task })

    expect(await provider.check(BEGUN, createStep())).toEqual({ status: 'generating' })
  })

  test.each<[string, Answer]>([
    ['404', answers(404, {})],
    ['500', answers(500, {})],
    ['nothing', dies],
  ])('a poll that gets %s says that it could not ask', async (_name, task) => {
    const { provider } = await startRemote({ task })

    await expect(provider.check(BEGUN, createStep())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a task is polled at most once in 3 seconds', async () => {
    const { provider, server, clock } = await startRemote({})

    const states = []
    for (const ms of [0, 1000, 2999, 3000]) {
      clock.ms = ms
      states.push(await provider.check(BEGUN, createStep()))
    }

    expect(server.requests).toHaveLength(2)
    expect(states.map((state) => 'checkAfterMs' in state && state.checkAfterMs)).toEqual([
      3000, 2000, 1, 3000,
    ])
  })

  test.each([
    ['12', 12_000],
    ['1', 3000],
    ['86400', 300_000],
  ])(
    'a poll answered with 429 and Retry-After %s waits for %i ms',
    async (retryAfter, expectedMs) => {
      const { provider } = await startRemote({
        task: answers(429, {}, { 'retry-after': retryAfter }),
      })

      const state = await provider.check(BEGUN, createStep())

      expect(state).toEqual({ status: 'generating', checkAfterMs: expectedMs })
    },
  )
})

test.each([{}, { phase: 'begun' }, { ...BEGUN, taskId: undefined }])(
  'an operation that cannot be ours fails: %o',
  async (operation) => {
    const { provider } = await startRemote({})

    expect(await provider.check(operation, createStep())).toMatchObject({
      status: 'fail',
      code: 500,
    })
  },
)
