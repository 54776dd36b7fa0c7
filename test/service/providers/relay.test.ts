import { expect, test } from 'vitest'
import type { Task } from '../../../src/contract/tasks.ts'
import { createRelayProvider } from '../../../src/service/providers/relay.ts'
import { startServer } from '../../platform/http/local-server.ts'
import { type Answer, answers, createStep } from './generation-step.ts'

const PARAMS = { prompt: 'a fox in the snow', aspect_ratio: '1280:720' }
const UNSENT = { phase: 'unsent', key: 'task-1-7', body: PARAMS }
const SENT = { ...UNSENT, phase: 'sent' }
const BEGUN = { ...UNSENT, phase: 'begun', work: '17' }

async function startRemote({
  create = answers(200, { task_id: 17 }),
  task = shows({ status: 'generating' }),
  balance = answers(200, { balance_rub: 5 }),
}: {
  create?: Answer
  task?: Answer
  balance?: Answer
}) {
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
  const access = { baseUrl: server.baseUrl, apiKey: 'secret' }
  return { server, provider: createRelayProvider(access, 'videos/vidgen-generate') }
}

function shows(task: Partial<Task> | { status: string }): Answer {
  return answers(200, { result_urls: null, error: null, ...task })
}

const HONOURS_KEYS = answers(200, { balance_rub: 5 }, { 'accept-idempotency-key': 'creation' })

test('a task is created with its key, and stored with the id of the task there', async () => {
  const step = createStep()
  const { provider } = await startRemote({})

  const operation = await provider.start(PARAMS, 'task-1-7')
  const state = await provider.check(operation, step)

  expect(operation).toEqual(UNSENT)
  expect(step.saved).toEqual([SENT, BEGUN])
  expect(state).toEqual({ status: 'generating', checkAfterMs: 3000 })
})

test('a creation answered with a 502 of the service ends the task', async () => {
  const { provider } = await startRemote({ create: answers(502, { detail: [] }) })

  expect(await provider.check(UNSENT, createStep())).toMatchObject({ status: 'fail', code: 502 })
})

test('a creation in doubt is sent again, with the same key, to a service that honours keys', async () => {
  const step = createStep()
  const { provider } = await startRemote({ balance: HONOURS_KEYS })

  await provider.check(SENT, step)

  expect(step.saved.at(-1)).toEqual(BEGUN)
})

test('a creation stays in doubt when its repeat is refused for now', async () => {
  const step = createStep()
  const create = answers(429, {}, { 'retry-after': '5' })
  const { provider } = await startRemote({ balance: HONOURS_KEYS, create })

  const state = await provider.check(SENT, step)

  expect(state).toMatchObject({ status: 'unbegun', failure: { retryAfterMs: 5000 } })
  expect(step.saved.at(-1)).toEqual(SENT)
})

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

test.each(['waiting', 'queuing', 'generating'])(
  'a task that is %s there goes on',
  async (status) => {
    const { provider } = await startRemote({ task: shows({ status }) })

    const state = await provider.check(BEGUN, createStep())

    expect(state).toEqual({ status: 'generating', checkAfterMs: 3000 })
  },
)

test('a success there gives its links', async () => {
  const urls = ['http://a/1.mp4', 'http://a/2.mp4']
  const { provider } = await startRemote({ task: shows({ status: 'success', result_urls: urls }) })

  expect(await provider.check(BEGUN, createStep())).toEqual({
    status: 'success',
    results: urls.map((url) => ({ type: 'url', url })),
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

  expect(await provider.check(BEGUN, createStep())).toEqual({
    status: 'generating',
    checkAfterMs: 3000,
  })
})
