import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { CARD_WIDTH_PX, type SpendChart } from '../../../src/bot/spend/card.ts'
import { Reports } from '../../../src/bot/spend/reports.ts'
import { createDraw, SpendPictures } from '../../../src/bot/spend/spend-pictures.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { addCharge } from './add-charge.ts'

const NOW = new Date('2026-11-22T09:00:00Z')
const ANNA = 101

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  for (const [index, firstName] of ['Anna', 'Boris'].entries()) {
    const id = ANNA + index
    await database.prisma.user.create({ data: { id, firstName } })
    const amountMicroRub = BigInt(100 - 10 * index) * 1_000_000n
    await addCharge(database.prisma, { userId: id, amountMicroRub, at: '2026-11-21T09:00:00Z' })
  }
  const video = { userId: ANNA, kind: 'video', amountMicroRub: 40_000_000n } as const
  await addCharge(database.prisma, { ...video, at: '2026-10-24T00:00:00+03:00' })
  await addCharge(database.prisma, { ...video, at: '2026-10-23T23:59:59+03:00' })
})
afterAll(() => database.close())

function setUp(draw = async (_chart: SpendChart) => Uint8Array.of(1)) {
  const charts: SpendChart[] = []
  const calendar = createCalendar({ timeZone: 'Europe/Moscow', now: () => NOW })
  const pictures = new SpendPictures({
    reports: new Reports({ prisma: database.prisma, calendar }),
    draw: async (chart) => {
      charts.push(chart)
      return draw(chart)
    },
    texts: createTexts(),
    log: pino({ level: 'silent' }),
  })
  return { pictures, charts }
}

test("a user's picture is of their own last 30 days, by day and kind", async () => {
  const { pictures, charts } = setUp()

  expect(await pictures.ofUser(ANNA, 'en')).toEqual(Uint8Array.of(1))

  const [chart] = charts
  expect(chart?.days).toHaveLength(30)
  expect(chart?.days[0]?.day).toBe('2026-10-24')
  expect(chart?.days.filter(({ byKind }) => byKind.size > 0)).toEqual([
    expect.objectContaining({ day: '2026-10-24', byKind: new Map([['video', 40_000_000n]]) }),
    expect.objectContaining({ day: '2026-11-21', byKind: new Map([['answer', 100_000_000n]]) }),
  ])
  expect(chart).toMatchObject({ language: 'en', title: 'Your spend, last 30 days' })
})

test("everybody's picture has the sums of all, in the language of its reader", async () => {
  const { pictures, charts } = setUp()

  await pictures.ofAll('ru')

  expect(charts[0]?.kinds).toEqual([
    { kind: 'answer', name: 'Ответы', amountMicroRub: 190_000_000n },
    { kind: 'video', name: 'Ролики', amountMicroRub: 40_000_000n },
  ])
})

test('a picture that cannot be drawn is none, and its text goes without it', async () => {
  const { pictures } = setUp(async () => {
    throw new Error('not drawn')
  })

  expect(await pictures.ofUser(ANNA, 'en')).toBeUndefined()
  expect(await pictures.ofAll('en')).toBeUndefined()
})

const CHART: SpendChart = {
  language: 'en',
  title: 'Your spend, last 30 days',
  emptyText: 'No spend',
  days: Array.from({ length: 30 }, (_, index) => ({
    day: new Date(Date.UTC(2026, 9, 24 + index)).toISOString().slice(0, 10),
    amountMicroRub: BigInt(index) * 1_000_000n,
    byKind: new Map([['answer', BigInt(index) * 1_000_000n]]),
  })),
  kinds: [
    { kind: 'answer', name: 'Answers', amountMicroRub: 435_000_000n },
    { kind: 'image', name: 'Pictures', amountMicroRub: 150_000_000n },
  ],
}

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
  const png = await createDraw({ timeoutMs: 60_000 })(CHART)

  const header = new DataView(png.buffer, png.byteOffset)
  expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG')
  expect(header.getUint32(16)).toBe(3 * CARD_WIDTH_PX)
  expect(header.getUint32(20)).toBeGreaterThan(900)
  expect(header.getUint32(20)).toBeLessThan(1200)
})

test('of six pictures each has a thread that ends with it, one at a time', async () => {
  const draw = createDraw({ timeoutMs: 60_000 })
  const before = { ...threads }
  threads.atOnce = 0

  await Promise.all(Array.from({ length: 6 }, () => draw(CHART)))

  expect(threads.begun - before.begun).toBe(6)
  expect(threads.ended - before.ended).toBe(6)
  expect(threads.atOnce).toBe(1)
})

test('a thread that hangs is ended, and its caller gets an error', async () => {
  const draw = createDraw({ worker: await workerOf('for (;;);'), timeoutMs: 300 })
  const { ended } = threads

  await expect(draw(CHART)).rejects.toThrow(/aborted/)

  expect(threads.ended).toBe(ended + 1)
})

test.each([
  ['throws', 'throw new Error("no font")', 'no font'],
  [
    'takes too much memory',
    'const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length))',
    'memory',
  ],
])('a thread that %s fails its picture at once', async (_, source, message) => {
  const draw = createDraw({ worker: await workerOf(source), timeoutMs: 60_000 })

  await expect(draw(CHART)).rejects.toThrow(message)
})

async function workerOf(source: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'chart-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'worker.mjs'), source)
  return pathToFileURL(join(folder, 'worker.mjs'))
}
