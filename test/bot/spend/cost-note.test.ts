import { expect, onTestFinished, test } from 'vitest'
import { createCostNote } from '../../../src/bot/spend/cost-note.ts'
import { openTestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'

test('5 roubles unless the admins set another price, or none', async () => {
  const database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(() => database.close())
  const costNote = createCostNote(database.prisma)

  expect(await costNote.read()).toBe(5_000_000n)
  await costNote.set(0n, { adminId: 1 })
  expect(await costNote.read()).toBe(0n)
  await costNote.set(undefined, { adminId: 1 })
  expect(await costNote.read()).toBeUndefined()
})
