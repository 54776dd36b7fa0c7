import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { GenerationState, ProviderOperation } from '../../../src/service/providers/provider.ts'
import {
  createFakeProvider,
  DONE,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from './generation-setup.ts'

let setup: GenerationSetup
let accountId: number

beforeEach(async () => {
  setup = await openGenerationSetup()
  accountId = await setup.addAccount()
})

afterEach(() => setup.close())

async function addProcessWithTask() {
  const provider = createFakeProvider()
  const service = await setup.addProcess(provider)
  await service.generation.start()
  const taskId: number = (await service.create(accountId)).body.task_id
  return { ...service, provider, taskId }
}

async function restart(options: Parameters<GenerationSetup['addProcess']>[1] = {}) {
  const provider = createFakeProvider()
  provider.check.mockResolvedValue(DONE)
  const service = await setup.addProcess(provider, options)
  await service.generation.start()
  const found = await service.visitAll()
  return { ...service, provider, found }
}

async function expectDoneOnce(taskId: number) {
  const task = await setup.task(taskId)
  expect(task.status).toBe('success')
  expect(await readdir(setup.mediaDir)).toEqual(task.files)
  expect(await setup.balance(accountId)).toBe(999n * PRICE_MICRO_RUB)
}

test('a waiting task of a dead process is done after a restart', async () => {
  const { taskId, instance } = await addProcessWithTask()
  await instance.release()

  const next = await restart()

  expect(next.provider.start).toHaveBeenCalledOnce()
  await expectDoneOnce(taskId)
})

test('a generating task of a dead process is finished with what it had begun', async () => {
  const dead = await addProcessWithTask()
  const looking = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<GenerationState>()
  dead.provider.check.mockImplementationOnce(() => {
    looking.resolve()
    return gate.promise
  })
  const visiting = dead.visit(dead.taskId)
  await looking.promise
  await dead.instance.release()

  const next = await restart()
  gate.resolve(DONE)
  await visiting

  expect(next.provider.start).not.toHaveBeenCalled()
  expect(next.provider.check).toHaveBeenCalledOnce()
  await expectDoneOnce(dead.taskId)
})

test('many processes that visit at once start the work once', async () => {
  const gate = Promise.withResolvers<ProviderOperation>()
  const services = [await addProcessWithTask()]
  for (let index = 0; index < 3; index += 1) {
    const provider = createFakeProvider()
    const service = await setup.addProcess(provider)
    await service.generation.start()
    services.push({ ...service, provider, taskId: 0 })
  }
  for (const { provider } of services) provider.start.mockImplementation(() => gate.promise)
  const taskId = services[0]?.taskId ?? 0

  const visits = services.map(({ visit }) => visit(taskId))
  // Processes without the lease return before the work has begun.
  let returned = 0
  for (const each of visits) void each.then(() => (returned += 1))
  await expect.poll(() => returned).toBe(services.length - 1)
  gate.resolve({ work: 'w1' })
  const back = await Promise.all(visits)

  expect(back.filter((dueInMs) => dueInMs === undefined)).toHaveLength(3)
  const starts = services.map(({ provider }) => provider.start.mock.calls.length)
  expect(starts.reduce((sum, count) => sum + count)).toBe(1)
})

test('work is not asked after at another provider than began it: another order has its name there', async () => {
  const dead = await addProcessWithTask()
  dead.provider.check.mockImplementationOnce(async (operation, { save }) => {
    await save({ ...operation, phase: 'begun', taskId: 7 })
    return { status: 'generating' }
  })
  await dead.visit(dead.taskId)
  await dead.instance.release()

  const next = await restart({ providerUrl: 'http://127.0.0.1:2/api/v1' })

  expect(next.provider.check).not.toHaveBeenCalled()
  expect(next.provider.start).not.toHaveBeenCalled()
  expect(await setup.task(dead.taskId)).toMatchObject({ status: 'fail', errorCode: 502 })
  expect(await setup.refunds(dead.taskId)).toBe(1)
  expect(next.log.error).toHaveBeenCalledWith(
    expect.objectContaining({ taskId: dead.taskId, maker: expect.any(String) }),
    expect.any(String),
  )
})

test('work that its provider has not begun is begun at the one that replaced it', async () => {
  const dead = await addProcessWithTask()
  dead.provider.start.mockResolvedValueOnce({ phase: 'unsent', body: 'in its words' })
  dead.provider.check.mockResolvedValueOnce({ status: 'unbegun', failure: { kind: 'unreachable' } })
  await dead.visit(dead.taskId)
  await dead.instance.release()

  const next = await restart({ providerUrl: 'http://127.0.0.1:2/api/v1' })

  expect(next.provider.check.mock.calls.map(([operation]) => operation)).toEqual([{ work: 'w1' }])
  await expectDoneOnce(dead.taskId)
})

test('a process whose clock is 2 hours off ends no task early', async () => {
  const { provider, taskId, visit } = await addProcessWithTask()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())

  const again = [await visit(taskId), await visit(taskId)]
  provider.check.mockResolvedValue(DONE)
  await visit(taskId)

  expect(again).toEqual([2000, 2000])
  expect(await setup.task(taskId)).toMatchObject({ status: 'success' })
  expect(await setup.refunds(taskId)).toBe(0)
})
