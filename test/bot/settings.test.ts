import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readChanges, recordChange } from '../../src/bot/change-log.ts'
import { StoredSettings } from '../../src/bot/stored-settings.ts'
import { openTestDatabase, type TestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
beforeEach(async () => {
  await database.prisma.setting.deleteMany()
  await database.prisma.change.deleteMany()
})
afterAll(() => database.close())

test('the log lists the latest change first, with the names of who changed it and of whom', async () => {
  const { prisma } = database
  await prisma.user.create({ data: { id: 1, firstName: 'Olga', username: 'olga' } })
  await recordChange(prisma, {
    adminId: 1,
    what: 'role',
    subjectId: 2,
    before: null,
    after: 'viewer',
  })
  await recordChange(prisma, { adminId: 1, what: 'limit_day', before: 'none', after: '5000000' })

  const { changes, next } = await readChanges(prisma, { take: 10 })

  const admin = { id: 1, name: 'Olga', username: 'olga' }
  const stranger = { id: 2, name: '', username: null }
  expect(changes).toMatchObject([
    { what: 'limit_day', admin, subject: null, before: 'none', after: '5000000' },
    { what: 'role', admin, subject: stranger, before: null, after: 'viewer' },
  ])
  expect(next).toBeUndefined()
})

test('each page goes on where the one before it ended, also when more is recorded meanwhile', async () => {
  const { prisma } = database
  const change = (after: number) =>
    recordChange(prisma, { adminId: 1, what: 'limit_all', before: null, after: String(after) })
  for (const after of [1, 2, 3, 4]) await change(after)

  const first = await readChanges(prisma, { take: 3 })
  await change(5)
  const second = await readChanges(prisma, { take: 3, before: first.next })

  const shown = [...first.changes, ...second.changes].map(({ after }) => after)
  expect(shown).toEqual(['4', '3', '2', '1'])
  expect(second.next).toBeUndefined()
})

test('a setting is kept, and the log says who set it, also where it was as the code says before', async () => {
  const settings = new StoredSettings(database.prisma)

  await settings.set({ parallelMax: 5 }, { adminId: 7 })
  await settings.set({ parallelMax: 5 }, { adminId: 8 })
  await settings.set({ parallelMax: 2, deadlineMs: 60_000 }, { adminId: 8 })

  expect(await settings.read()).toMatchObject({ parallelMax: 2, deadlineMs: 60_000 })
  expect(await recorded()).toEqual([
    '7: setting:media_parallel_max 3 → 5',
    '8: setting:media_parallel_max 5 → 2',
    '8: setting:media_deadline_minutes 60 → 1',
  ])
})

test('of two admins who set at once each one’s change begins where the other’s ended', async () => {
  const settings = new StoredSettings(database.prisma)

  await Promise.all([4, 5, 6].map((parallelMax) => settings.set({ parallelMax }, { adminId: 7 })))

  const changes = await database.prisma.change.findMany({ orderBy: { id: 'asc' } })
  expect(changes.map(({ before }) => before)).toEqual([
    '3',
    ...changes.slice(0, -1).map(({ after }) => after),
  ])
})

async function recorded() {
  const { changes } = await readChanges(database.prisma, { take: 10 })
  return changes
    .map(({ admin, what, before, after }) => `${admin.id}: ${what} ${before} → ${after}`)
    .toReversed()
}
