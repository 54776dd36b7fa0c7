import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccess } from '../../../../src/bot/people/access/access.ts'
import { createRoles } from '../../../../src/bot/people/access/roles.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

test('admins are those of the settings and those whom admins made, as they are at that moment', async () => {
  const { prisma } = database
  const settings = {
    adminIds: new Set([11]),
    viewerIds: new Set([12, 15]),
    allowedUserIds: 'everybody' as const,
  }
  const roles = createRoles({ prisma, settings, access: createAccess(settings) })
  await prisma.user.createMany({
    data: [
      { id: 10, firstName: 'Carl' },
      { id: 12, firstName: 'Dora', languageCode: 'ru', admission: 'blocked' },
      { id: 13, firstName: 'Emil', languageCode: 'en', language: 'ru', role: 'admin' },
      { id: 14, firstName: 'Fina', role: 'viewer' },
    ],
  })

  const before = await roles.admins()
  await prisma.user.update({ where: { id: 13 }, data: { role: 'viewer' } })
  const after = await roles.holders()

  expect(before).toEqual([
    { userId: 13, role: 'admin', languageCode: 'ru' },
    { userId: 11, role: 'admin', languageCode: undefined },
  ])
  expect(after.map(({ userId, role }) => [userId, role])).toEqual([
    [13, 'viewer'],
    [14, 'viewer'],
    [11, 'admin'],
    [15, 'viewer'],
  ])
  expect(await Promise.all([10, 11, 12, 14, 15, 16].map(roles.of))).toEqual([
    undefined,
    'admin',
    undefined,
    'viewer',
    'viewer',
    undefined,
  ])
})
