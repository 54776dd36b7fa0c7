import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSubject } from '../../../../src/bot/spend/limits/find-subject.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.createMany({
    data: [
      { id: 1, firstName: 'Anna', username: 'AnnaXa' },
      { id: 2, firstName: 'Boris', username: 'boris' },
      { id: 3, firstName: 'Carl', username: 'Boris' },
    ],
  })
})
afterAll(() => database.close())

test.each([
  ['@annaxa', { id: 1n, name: 'Anna' }],
  ['2', { id: 2n, name: 'Boris' }],
  ['@boris', 'ambiguous'],
  ['@anna%', 'unknown'],
  ['4', 'unknown'],
])('"%s" names the subject that it says, and no other', async (text, subject) => {
  expect(await findSubject(database.prisma, text)).toEqual(subject)
})
