import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCalendar, type Days } from '../../../src/bot/spend/calendar.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

test.each<[string, string, Days, string, string]>([
  ['Europe/Moscow', '2026-11-22T21:00:00Z', 'day', '2026-11-23', '2026-11-23'],
  ['Europe/Moscow', '2026-11-22T21:00:00Z', 'week', '2026-11-23', '2026-11-23'],
  ['Europe/Moscow', '2026-11-22T10:00:00Z', 'month', '2026-11-01', '2026-11-22'],
  ['Europe/Moscow', '2026-11-22T10:00:00Z', { last: 30 }, '2026-10-24', '2026-11-22'],
  ['America/New_York', '2026-11-01T03:59:00Z', 'month', '2026-10-01', '2026-10-31'],
])('at %s, %s: %j is from %s to %s', async (timeZone, instant, days, from, to) => {
  const calendar = createCalendar({ timeZone, now: () => new Date(instant) })

  expect(await calendar.readDays(database.prisma, days)).toMatchObject({ from, to })
})
