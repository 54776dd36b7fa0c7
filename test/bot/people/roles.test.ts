import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { giveRole, type NewRole } from '../../../src/bot/people/roles.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createPeople } from './create-people.ts'

const [OLGA, BORIS, ANNA] = [201, 202, 203]

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
beforeEach(async () => {
  await database.prisma.user.deleteMany()
  await database.prisma.change.deleteMany()
})
afterAll(() => database.close())

async function setUp({
  adminIds = [],
  olga = 'admin',
  boris = null,
}: {
  adminIds?: number[]
  olga?: 'admin' | 'viewer' | null
  boris?: 'admin' | 'viewer' | null
} = {}) {
  await database.prisma.user.createMany({
    data: [
      { id: OLGA, firstName: 'Olga', role: olga },
      { id: BORIS, firstName: 'Boris', role: boris, languageCode: 'ru' },
      { id: ANNA, firstName: 'Anna' },
    ],
  })
  const { people, sent } = createPeople(database.prisma, { adminIds: new Set(adminIds) })
  const give = (given: NewRole) => giveRole(people, given)
  return { giveRole: give, notified: sent, roles }

  async function roles() {
    const users = await database.prisma.user.findMany({ orderBy: { id: 'asc' } })
    return users.map(({ role }) => role)
  }
}

test.each([
  ['the last admin stays', { userId: OLGA, role: null, adminId: OLGA }, 'last_admin'],
  ['not even as a viewer', { userId: OLGA, role: 'viewer', adminId: OLGA }, 'last_admin'],
  ['a viewer gives none', { userId: ANNA, role: 'admin', adminId: BORIS }, 'not_admin'],
  ['nor does a stranger', { userId: ANNA, role: 'admin', adminId: 999 }, 'not_admin'],
  ['a stranger gets none', { userId: 999, role: 'viewer', adminId: OLGA }, 'unknown'],
] as const)('a role is not given: %s', async (_, given, outcome) => {
  const { giveRole, notified, roles } = await setUp({ boris: 'viewer' })

  expect(await giveRole(given)).toBe(outcome)

  expect(await roles()).toEqual(['admin', 'viewer', null])
  expect(notified).toEqual([])
})

test('of two admins who unmake each other at once one stays, and so does one of two who go', async () => {
  for (const targets of [
    [OLGA, BORIS],
    [BORIS, OLGA],
  ]) {
    await database.prisma.user.deleteMany()
    const { giveRole, roles } = await setUp({ boris: 'admin' })

    await Promise.all(
      [OLGA, BORIS].map((adminId, index) =>
        giveRole({ userId: targets[index] ?? 0, role: null, adminId }),
      ),
    )

    expect((await roles()).filter((role) => role === 'admin')).toHaveLength(1)
  }
})
