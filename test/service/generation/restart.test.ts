import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createNotifications } from '../../../src/platform/database/instance/notifications.ts'
import { createCallbacks } from '../../../src/service/callback/callbacks.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createEndpoints } from '../../../src/service/generation/endpoints.ts'
import { createGeneration } from '../../../src/service/generation/generation.ts'
import type { GenerationState, ProviderOperation } from '../../../src/service/providers/provider.ts'
import { createStorage } from '../../../src/service/storage/storage.ts'
import { openDueRows } from '../../platform/jobs/open-due-rows.ts'
import { ROOMY } from '../storage/roomy.ts'
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

test('a queuing task of a dead process is started by the next, and the first is not heard', async () => {
  const dead = await addProcessWithTask()
  const starting = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<ProviderOperation>()
  dead.provider.start.mockImplementationOnce(() => {
    starting.resolve()
    return gate.promise
  })
  const visiting = dead.visit(dead.taskId)
  await starting.promise
  await dead.instance.release()

  const next = await restart()
  gate.resolve({ work: 'of the dead' })

  expect(await visiting).toBeUndefined()
  expect(dead.provider.check).not.toHaveBeenCalled()
  expect(next.provider.check.mock.calls.map(([operation]) => operation)).toEqual([{ work: 'w1' }])
  await expectDoneOnce(dead.taskId)
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

test('a failure that a dead process notices late gives nothing back a second time', async () => {
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
  const failed: GenerationState = { status: 'fail', code: 451, message: 'Filtered.' }
  const provider = createFakeProvider()
  provider.check.mockResolvedValue(failed)
  const next = await setup.addProcess(provider)
  await next.generation.start()

  await next.visit(dead.taskId)
  gate.resolve(failed)
  await visiting

  expect(await setup.refunds(dead.taskId)).toBe(1)
})

test('ended tasks are left alone by a restart', async () => {
  const { taskId, visit, provider, instance } = await addProcessWithTask()
  provider.check.mockResolvedValueOnce(DONE)
  await visit(taskId)
  await instance.release()

  const next = await restart()

  expect(next.found).toEqual([])
  await expectDoneOnce(taskId)
})

test('a task that a living process drives is visited by no other', async () => {
  const living = await addProcessWithTask()
  const looking = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<GenerationState>()
  living.provider.check.mockImplementationOnce(() => {
    looking.resolve()
    return gate.promise
  })
  const visiting = living.visit(living.taskId)
  await looking.promise

  const other = await restart()
  const again = await other.visit(living.taskId)
  gate.resolve(DONE)
  await visiting

  expect(other.found).toEqual([])
  expect(again).toBeUndefined()
  expect(other.provider.check).not.toHaveBeenCalled()
  await expectDoneOnce(living.taskId)
})

test('between two looks any process may take the task', async () => {
  const first = await addProcessWithTask()
  await first.visit(first.taskId)

  const second = await restart()

  expect(second.found).toEqual([first.taskId])
  expect(second.provider.start).not.toHaveBeenCalled()
  await expectDoneOnce(first.taskId)
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
  // Those who do not get the lease are back before the work has begun.
  const back = await firstToEnd(visits, services.length - 1)
  gate.resolve({ work: 'w1' })
  await Promise.all(visits)

  expect(back).toEqual([undefined, undefined, undefined])
  const starts = services.map(({ provider }) => provider.start.mock.calls.length)
  expect(starts.reduce((sum, count) => sum + count)).toBe(1)
})

// Promise: The provider of creations is another one while tasks are under way
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

// Promise: The provider of creations is another one while tasks are under way
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

test('the demo provider makes a clip as soon as it is created', async () => {
  const { instance, create } = await setup.addProcess()
  const ended = Promise.withResolvers<unknown>()
  const { database } = setup
  const { pool } = database
  const log = { info: ended.resolve, warn: ended.reject, error: ended.reject }
  const notifications = createNotifications(instance.session)
  const dueRows = openDueRows({ pool, instance, notifications, log })
  const generation = createGeneration({
    database,
    instance,
    dueRows,
    callbacks: createCallbacks({ database, instance, dueRows, allow: new Set(), log }),
    endpoints: new Map(createEndpoints(builtInServiceConfig()).map((each) => [each.path, each])),
    storage: createStorage({
      mediaDir: setup.mediaDir,
      guard: { allow: new Set() },
      room: ROOMY,
    }),
    publicRoot: () => '',
    log,
  })
  await generation.start()

  const taskId: number = (await create(accountId)).body.task_id
  await ended.promise
  await generation.stop(5000)

  await expectDoneOnce(taskId)
})

function firstToEnd<T>(promises: readonly Promise<T>[], count: number): Promise<T[]> {
  const results: T[] = []
  return new Promise((resolve, reject) => {
    for (const promise of promises) {
      promise.then((result) => {
        results.push(result)
        if (results.length === count) resolve([...results])
      }, reject)
    }
  })
}
