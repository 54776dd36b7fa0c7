import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { ProviderFailure } from '../../../src/service/providers/failure.ts'
import type { GenerationState } from '../../../src/service/providers/provider.ts'
import { createRelayProvider } from '../../../src/service/providers/relay.ts'
import { startServer } from '../../platform/http/local-server.ts'
import {
  BODY,
  createFakeProvider,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from './generation-setup.ts'

const AWAY: GenerationState = { status: 'unbegun', failure: { kind: 'unreachable' } }

let setup: GenerationSetup

beforeEach(async () => {
  setup = await openGenerationSetup()
})

afterEach(() => setup.close())

async function openTask(provider = createFakeProvider()) {
  const service = await setup.addProcess(provider)
  await service.generation.start()
  const accountId = await setup.addAccount()
  const paidMicroRub = (await setup.balance(accountId)) ?? 0n
  const { task_id: taskId } = (await service.create(accountId, BODY, { 'idempotency-key': 'k1' }))
    .body
  return {
    ...service,
    provider,
    accountId,
    taskId,
    paidMicroRub,
    visit: (id: number = taskId) => service.visit(id),
  }
}

async function openRelayed(create: (response: ServerResponse) => void) {
  const server = await startServer((response, { method }) => {
    if (method === 'POST') return create(response)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"balance_rub": 5}')
  })
  const access = { baseUrl: server.baseUrl, apiKey: 'secret-key' }
  const addRelay = () =>
    createRelayProvider(access, 'videos/vidgen-generate') as ReturnType<typeof createFakeProvider>
  const creations = () => server.requests.filter(({ method }) => method === 'POST').length
  return { addRelay, creations }
}

async function expectRefunded(
  { taskId, accountId, paidMicroRub }: Awaited<ReturnType<typeof openTask>>,
  errorCode: number,
) {
  expect(await setup.task(taskId)).toMatchObject({ status: 'fail', errorCode, leaseOwner: null })
  expect(await setup.refunds(taskId)).toBe(1)
  expect(await setup.balance(accountId)).toBe(paidMicroRub)
}

test.each([
  [401, { detail: 'no such key' }],
  [200, { id: 5 }],
])(
  'a provider that answers %i without a task for reasons of its own fails the task at once, and notifies the operator',
  async (status, answer) => {
    const { addRelay, creations } = await openRelayed((response) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer)),
    )
    const task = await openTask(addRelay())

    const again = await task.visit()

    expect(again).toBeUndefined()
    await expectRefunded(task, 502)
    expect(creations()).toBe(1)
    expect(task.onTrouble).toHaveBeenCalledOnce()
    expect(task.log.error).toHaveBeenCalledWith(
      expect.objectContaining({
        endpoint: 'videos/vidgen-generate',
        upstream: 'fake',
        status,
        accountId: task.accountId,
        taskId: task.taskId,
      }),
      expect.any(String),
    )
    expect(task.onProviderFailed.mock.calls).toEqual([
      [expect.objectContaining({ model: 'videos/vidgen-generate', upstream: 'fake' })],
    ])
  },
)

test('after a refusal creations are answered with 502 and cost nothing, until the provider is tried again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const task = await openTask()
  task.provider.check.mockResolvedValueOnce({
    status: 'refused',
    failure: { kind: 'unauthorized', status: 402 },
  })
  await task.visit()

  const refused = await task.create(task.accountId)
  const repeated = await task.create(task.accountId, BODY, { 'idempotency-key': 'k1' })
  vi.advanceTimersByTime(30_000)
  const later = await task.create(task.accountId)

  expect(refused).toMatchObject({ status: 502, body: { detail: expect.any(String) } })
  expect(repeated).toMatchObject({ status: 200, body: { task_id: task.taskId } })
  expect(later.status).toBe(200)
  expect(await setup.balance(task.accountId)).toBe(task.paidMicroRub - PRICE_MICRO_RUB)
})

test('while the provider is away creations are answered with 503 and cost nothing', async () => {
  const task = await openTask()
  task.provider.check.mockResolvedValueOnce(AWAY)
  await task.visit()

  const refused = await task.create(task.accountId)

  expect(refused).toMatchObject({ status: 503, body: { detail: expect.any(String) } })
  expect(await setup.balance(task.accountId)).toBe(task.paidMicroRub - PRICE_MICRO_RUB)
})

test('work that its provider does not take is tried ever later, at last two minutes after the first try', async () => {
  const task = await openTask()
  task.provider.check.mockResolvedValue(AWAY)

  const waits: unknown[] = []
  for (const seconds of [0, 1, 3, 7, 15, 31, 61, 91, 120]) {
    if (seconds > 0) await setup.setVisited(task.taskId, seconds * 1000)
    const waitMs = await task.visit()
    waits.push(waitMs && Math.ceil(waitMs / 1000))
  }

  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 29, undefined])
  expect(task.provider.check).toHaveBeenCalledTimes(9)
  await expectRefunded(task, 503)
})

test.each<[string, ProviderFailure, number | undefined]>([
  ['for a while', { kind: 'rate_limited', retryAfterMs: 40_000 }, 40_000],
  ['for longer than it is tried', { kind: 'rate_limited', retryAfterMs: 121_000 }, undefined],
])('a provider that asks to be left alone %s is', async (_name, failure, expectedMs) => {
  const task = await openTask()
  task.provider.check.mockResolvedValueOnce({ status: 'unbegun', failure })

  expect(await task.visit()).toBe(expectedMs)
  expect(await setup.refunds(task.taskId)).toBe(expectedMs === undefined ? 1 : 0)
})

test('a creation whose answer a crash hid is not sent again to a service without keys: its price goes back', async () => {
  const asked = Promise.withResolvers<void>()
  const { addRelay, creations } = await openRelayed(() => asked.resolve())
  const dead = await openTask(addRelay())
  const visiting = dead.visit()
  await asked.promise
  await dead.instance.release()

  const next = await setup.addProcess(addRelay())
  await next.generation.start()
  const again = await next.visit(dead.taskId)
  await dead.generation.stop(0)
  await visiting

  expect(again).toBeUndefined()
  expect(creations()).toBe(1)
  await expectRefunded(dead, 502)
})
