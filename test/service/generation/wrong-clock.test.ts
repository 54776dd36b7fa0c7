import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  createFakeProvider,
  DEADLINE_MS,
  DONE,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from './generation-setup.ts'

let setup: GenerationSetup

beforeEach(async () => {
  setup = await openGenerationSetup()
})

afterEach(() => setup.close())

function setClockOff(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
}

async function openTask() {
  const provider = createFakeProvider()
  const service = await setup.addProcess(provider)
  await service.generation.start()
  const accountId = await setup.addAccount(PRICE_MICRO_RUB)
  const { task_id: taskId } = (await service.create(accountId)).body
  return { provider, service, accountId, taskId, visit: () => service.visit(taskId) }
}

// Promise: The clock of a service process is two hours off
test.each([2, -2])('a process whose clock is %i hours off ends no task early', async (hours) => {
  const task = await openTask()
  setClockOff(hours)

  const again = [await task.visit(), await task.visit()]
  task.provider.check.mockResolvedValue(DONE)
  await task.visit()

  expect(again).toEqual([2000, 2000])
  expect(await setup.task(task.taskId)).toMatchObject({ status: 'success' })
  expect(await setup.refunds(task.taskId)).toBe(0)
})

// Promise: The clock of a service process is two hours off
test('a process whose clock is 2 hours behind ends a task at its deadline', async () => {
  const task = await openTask()
  await setup.setAge(task.taskId, DEADLINE_MS)
  setClockOff(-2)

  await task.visit()

  expect(await setup.task(task.taskId)).toMatchObject({ status: 'fail', errorCode: 503 })
})
