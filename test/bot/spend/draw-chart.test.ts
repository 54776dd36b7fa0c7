import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CARD_WIDTH_PX } from '../../../src/bot/spend/card.ts'
import { ChartNotDrawnError, createChartDrawing } from '../../../src/bot/spend/draw-chart.ts'
import { chartOf, daysWith } from './chart-days.ts'

const chart = chartOf(daysWith((index) => ({ answer: index, image: 5 })))

const threads = { begun: 0, ended: 0, atOnce: 0 }

beforeAll(() => {
  process.on('worker', countThread)
})
afterAll(() => {
  process.off('worker', countThread)
})

function countThread(thread: Worker): void {
  threads.begun += 1
  threads.atOnce = Math.max(threads.atOnce, threads.begun - threads.ended)
  thread.once('exit', () => {
    threads.ended += 1
  })
}

test('a picture is a PNG, three of its pixels for one of a phone', async () => {
  const png = await createChartDrawing({ timeoutMs: 60_000 }).draw(chart)

  const header = new DataView(png.buffer, png.byteOffset)
  expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG')
  expect(header.getUint32(16)).toBe(3 * CARD_WIDTH_PX)
  expect(header.getUint32(20)).toBeGreaterThan(900)
  expect(header.getUint32(20)).toBeLessThan(1200)
})

test('of six pictures each has a thread that ends with it, one at a time', async () => {
  const { draw } = createChartDrawing({ timeoutMs: 60_000 })
  const before = { ...threads }
  threads.atOnce = 0

  await Promise.all(Array.from({ length: 6 }, () => draw(chart)))

  expect(threads.begun - before.begun).toBe(6)
  expect(threads.ended - before.ended).toBe(6)
  expect(threads.atOnce).toBe(1)
})

test.each([
  ['hangs', 'for (;;);', /not within 300 ms/],
  ['never answers', 'setInterval(() => {}, 1000)', /not within 300 ms/],
])('a thread that %s is ended, and its caller hears of it', async (_, source, message) => {
  const { draw } = createChartDrawing({ worker: await workerOf(source), timeoutMs: 300 })
  const { ended } = threads

  const drawn = draw(chart)

  await expect(drawn).rejects.toThrow(ChartNotDrawnError)
  await expect(drawn).rejects.toThrow(message)
  expect(threads.ended).toBe(ended + 1)
})

test.each([
  ['throws', 'throw new Error("no font")'],
  ['ends without a picture', ''],
  [
    'takes too much memory',
    'const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length))',
  ],
])('a thread that %s fails its picture at once', async (_, source) => {
  const { draw } = createChartDrawing({ worker: await workerOf(source), timeoutMs: 60_000 })

  await expect(draw(chart)).rejects.toThrow('Cannot draw chart: its thread failed')
})

async function workerOf(source: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'chart-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'worker.mjs'), source)
  return pathToFileURL(join(folder, 'worker.mjs'))
}
