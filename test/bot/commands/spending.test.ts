import { expect, test } from 'vitest'
import { ADMIN, database, setUp } from './commands-setup.ts'

test('/balance tells what is left, for how long, and whether the charges account for it', async () => {
  await database.prisma.charge.deleteMany()
  await database.prisma.spendDay.deleteMany()
  const { send, answerTo } = await setUp()
  const before = await answerTo(await send('/balance', { userId: ADMIN }))

  const after = await answerTo(await send('/balance', { userId: ADMIN }))

  expect(before).toContain(
    'The account has ₽1,234.50 left.\nNothing was spent in the last seven days.',
  )
  expect(after).toMatch(
    /^Since .+ the balance fell by ₽0\.000000, and users were charged ₽0\.000000\.\nThe difference is ₽0\.000000\.$/m,
  )
})
