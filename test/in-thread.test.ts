import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { inThread, ThreadMemoryError } from '../src/in-thread.ts'

const BOUNDS = { signal: AbortSignal.timeout(60_000), memoryMbMax: 64 }

test('a thread is given its work and nothing of the environment, and its message comes back', async () => {
  const file = await threadOf(`
    import { parentPort, workerData } from 'node:worker_threads'
    parentPort.postMessage([workerData.word, Object.keys(process.env)])`)

  expect(await inThread(file, { word: 'fox' }, BOUNDS)).toEqual(['fox', []])
})

test.each([
  ['its heap', 'for (;;) kept.push(new Array(1e5).fill(kept.length))'],
  ['buffers outside it', 'for (;;) kept.push(Buffer.alloc(1e6, 1))'],
])('a thread that fills %s is ended, and takes little more than it may', async (_, fill) => {
  const before = process.memoryUsage().rss

  const worked = inThread(await threadOf(`const kept = []; ${fill}`), undefined, BOUNDS)

  await expect(worked).rejects.toThrow(ThreadMemoryError)
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20)
})

test('a thread that hangs ends with the signal, whose reason is thrown', async () => {
  const reason = new Error('too late')
  const controller = new AbortController()
  const bounds = { ...BOUNDS, signal: controller.signal }
  const file = await threadOf('for (;;);')

  const hanging = inThread(file, undefined, bounds)
  controller.abort(reason)

  await expect(hanging).rejects.toThrow(reason)
  await expect(inThread(file, undefined, bounds)).rejects.toThrow(reason)
})

test.each([
  ['throws', 'throw new RangeError("no such page")', 'no such page'],
  ['ends without a message', '', 'ended without a message'],
])('a thread that %s fails its work at once', async (_, source, message) => {
  await expect(inThread(await threadOf(source), undefined, BOUNDS)).rejects.toThrow(message)
})

async function threadOf(source: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'thread-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'thread.mjs'), source)
  return pathToFileURL(join(folder, 'thread.mjs'))
}
