import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { ChartNotDrawnError } from '../../../src/bot/spend/draw-chart.ts'
import { Reports } from '../../../src/bot/spend/reports.ts'
import type { SpendChart } from '../../../src/bot/spend/spend-chart.ts'
import { createSpendPictures } from '../../../src/bot/spend/spend-pictures.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { addCharge } from './add-charge.ts'

const NOW = new Date('2026-11-22T09:00:00Z')
const ANNA = 101

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  const names = ['Anna', '🦊🦊', '𝓑𝓸𝓻𝓲𝓼', '李明', 'Ёлка 🎄 Иванова', '‮evil', '👩‍👩‍👧']
  for (let index = 0; index < 20; index++) {
    const id = ANNA + index
    const username = index === 1 ? 'fox' : null
    await database.prisma.user.create({
      data: { id, firstName: names[index] ?? `User ${index}`, username },
    })
    const amountMicroRub = BigInt(100 - index) * 1_000_000n
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
  const pictures = createSpendPictures({
    reports: new Reports({ prisma: database.prisma, calendar }),
    drawing: {
      draw: async (chart) => {
        charts.push(chart)
        return draw(chart)
      },
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
  expect(chart?.users).toBeUndefined()
})

test("everybody's picture has the first ten users, named as far as it has letters, and the rest", async () => {
  const { pictures, charts } = setUp()

  await pictures.ofAll('ru')

  const { rows = [], title } = charts[0]?.users ?? {}
  expect(title).toBe('Больше всех потратили')
  expect(rows.slice(0, 7).map(({ name }) => name)).toEqual([
    ...['Anna', '@fox', 'Boris', 'id 104', 'Ёлка Иванова', 'evil', 'id 107'],
  ])
  expect(rows).toHaveLength(11)
  expect(rows.at(-1)?.name).toBe('ещё 10')
  expect(rows.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)).toBe(1_850_000_000n)
  expect(charts[0]?.kindNames.answer).toBe('Ответы')
})

test('a picture that cannot be drawn is none, and its text goes without it', async () => {
  const { pictures } = setUp(async () => {
    throw new ChartNotDrawnError('Cannot draw chart: not within 5000 ms')
  })

  expect(await pictures.ofUser(ANNA, 'en')).toBeUndefined()
  expect(await pictures.ofAll('en')).toBeUndefined()
})
