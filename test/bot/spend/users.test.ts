import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { Reports } from '../../../src/bot/spend/reports.ts'
import { findSubject } from '../../../src/bot/spend/users.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { addCharge } from './add-charge.ts'

let database: TestDatabase

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.createMany({
    data: [
      { id: 50_001, firstName: 'Anna Petrova', username: 'anna_p' },
      { id: 50_002, firstName: 'АННА Иванова' },
      { id: 50_003, firstName: '100% Boris_' },
      { id: 50_004, firstName: 'agent 50001', username: 'Anna' },
      { id: 50_005, firstName: '' },
      { id: 50_006, firstName: 'Carl', username: 'twin' },
      { id: 50_007, firstName: 'Carla', username: 'Twin' },
    ],
  })
  await addCharge(database.prisma, { userId: 50_003, amountMicroRub: 5n })
  await addCharge(database.prisma, { userId: 50_001, amountMicroRub: 7n, at: '2020-01-01T10:00Z' })
})
afterAll(() => database.close())

test.each([
  ['anna', [50_001, 50_004]],
  ['ANNA petr', [50_001]],
  ['анна', [50_002]],
  ['@anna', [50_004]],
  ['50001', [50_001, 50_004]],
  ['100%', [50_003]],
  ['%', [50_003]],
  ["'; DROP TABLE bot.charge; --", []],
])('"%s" finds %j', async (text, ids) => {
  const { users, total } = await search(text)

  expect(users.map(({ user }) => Number(user.id)).toSorted()).toEqual(ids.toSorted())
  expect(total).toBe(ids.length)
})

function search(text: string, span: 'today' | 'all' = 'today') {
  return createReports().users({ span, search: text, skip: 0, take: 10 })
}

function createReports() {
  const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
  return new Reports({ prisma: database.prisma, calendar })
}

test.each([
  ['@ANNA', { id: 50_004n, name: 'agent 50001' }],
  ['50002', { id: 50_002n, name: 'АННА Иванова' }],
  ['@twin', 'ambiguous'],
  ['@ann%', 'unknown'],
  ['4', 'unknown'],
])('"%s" names the subject that it says, and no other', async (text, subject) => {
  expect(await findSubject(database.prisma, text)).toEqual(subject)
})
