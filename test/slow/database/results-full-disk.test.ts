import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { GenerationState } from '../../../src/service/providers/provider.ts'
import { MP4 } from '../../media-files.ts'
import { startServer } from '../../platform/http/local-server.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import {
  createFakeProvider,
  DEADLINE_MS,
  DONE,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from '../../service/generation/generation-setup.ts'
import { DISK_BYTES, mountSmallDisk } from '../../service/generation/small-disk.ts'
import { makeFolder } from '../../support/make-folder.ts'

let setup: GenerationSetup

beforeEach(async () => {
  setup = await openGenerationSetup()
})

afterEach(() => setup.close())

async function openTask(storageDir: string, state: GenerationState, providerUrl?: string) {
  const clock = createManualClock()
  const provider = createFakeProvider()
  provider.check.mockResolvedValue(state)
  const service = await setup.addProcess(provider, {
    storageDir,
    clock,
    ...(providerUrl !== undefined && { providerUrl }),
  })
  await service.generation.start()
  const accountId = await setup.addAccount(PRICE_MICRO_RUB)
  const { task_id: taskId } = (await service.create(accountId)).body
  const visit = () => service.visit(taskId)
  return { clock, provider, service, accountId, taskId, visit, tryInVain }

  async function tryInVain(times: number): Promise<void> {
    for (let tries = 1; tries <= times; tries += 1) {
      await expect
        .poll(() => service.onStorageRefused.mock.calls.length, { interval: 5 })
        .toBe(tries)
      if (tries < times) clock.advance(10_000)
    }
  }
}

/** Storage whose folder cannot be made, for a file has its name, until that is taken away. */
async function blockStorage() {
  const parent = await makeFolder()
  const storageDir = join(parent, 'media')
  await writeFile(storageDir, '')
  return { storageDir, unblock: () => rm(storageDir) }
}

test('a task on a disk that is full waits, and is done when there is room', async ({ skip }) => {
  const disk = mountSmallDisk() ?? skip('only root may mount a small disk')
  onTestFinished(disk.unmount)
  const storageDir = disk.dir
  const filler = join(storageDir, 'filler')
  await writeFile(filler, Buffer.alloc(DISK_BYTES))
  const video = Buffer.concat([MP4, Buffer.alloc(20_000)])
  const { baseUrl } = await startServer((response) => void response.end(video))
  const task = await openTask(
    storageDir,
    { status: 'success', results: [{ type: 'url', url: `${baseUrl}/video.mp4` }] },
    baseUrl,
  )

  // Far more often than a link that is gone is tried.
  const again: unknown[] = []
  for (let tries = 0; tries < 20; tries += 1) again.push(await task.visit())
  const left = await readdir(storageDir)
  await rm(filler)
  await task.visit()

  expect(again).toEqual(Array(20).fill(10_000))
  expect(left).toEqual(['filler'])
  expect(task.service.onStorageRefused.mock.calls).toEqual(Array(20).fill(['ENOSPC']))
  const { status, files } = await setup.task(task.taskId)
  expect(status).toBe('success')
  expect(await readdir(storageDir)).toEqual(files)
  expect(await setup.balance(task.accountId)).toBe(0n)
})

test('bytes that storage does not take wait in their visit: the provider is not asked for them again', async () => {
  const { storageDir, unblock } = await blockStorage()
  const task = await openTask(storageDir, DONE)

  const visiting = task.visit()
  await task.tryInVain(20)
  await unblock()
  task.clock.advance(10_000)
  await visiting

  expect(await setup.task(task.taskId)).toMatchObject({ status: 'success' })
  expect(task.provider.check).toHaveBeenCalledOnce()
})

test('a result for which there is no room until the deadline fails its task, with a refund', async () => {
  const { storageDir } = await blockStorage()
  const task = await openTask(storageDir, DONE)
  await setup.setAge(task.taskId, DEADLINE_MS - 25_000)

  const visiting = task.visit()
  await task.tryInVain(3)
  task.clock.advance(10_000)
  await visiting

  expect(await setup.task(task.taskId)).toMatchObject({ status: 'fail', errorCode: 503 })
  expect(await setup.refunds(task.taskId)).toBe(1)
})

test('bytes that wait for room are given up with their process, and their task is left to others', async () => {
  const { storageDir } = await blockStorage()
  const task = await openTask(storageDir, DONE)
  const visiting = task.visit()
  await task.tryInVain(1)

  await task.service.generation.stop(0)
  await visiting

  expect(await setup.task(task.taskId)).toMatchObject({ status: 'generating', leaseOwner: null })
})
