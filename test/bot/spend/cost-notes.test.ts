import { expect, onTestFinished, test } from 'vitest'
import { createCostNotes, isShown } from '../../../src/bot/spend/cost-notes.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

test('costs are shown from 5 roubles on, unless admins set something else, and each user for themselves', async () => {
  const database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(() => database.close())
  await database.prisma.user.create({ data: { id: 101, firstName: 'Anna' } })
  const costNotes = createCostNotes(database.prisma)

  expect(await costNotes.ofUser(101)).toEqual({ note: 5_000_000n, isOwn: false })
  await costNotes.setForAll('off', { adminId: 1 })
  expect(await costNotes.ofUser(101)).toEqual({ note: 'off', isOwn: false })
  await costNotes.choose(101, 0n)
  expect(await costNotes.ofUser(101)).toEqual({ note: 0n, isOwn: true })
  expect(await costNotes.ofUser(102)).toEqual({ note: 'off', isOwn: false })
  await costNotes.choose(101, undefined)
  expect(await costNotes.ofUser(101)).toEqual({ note: 'off', isOwn: false })
})

test.each([
  [5_000_000n, 5_000_000n, true],
  [4_999_999n, 5_000_000n, false],
  [1n, 0n, true],
  [0n, 0n, false],
  [5_000_000n, 'off', false],
] as const)('a cost of %s is shown from %s on: %s', (amountMicroRub, note, shown) => {
  expect(isShown(amountMicroRub, note)).toBe(shown)
})
