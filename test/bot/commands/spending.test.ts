import { expect, test } from 'vitest'
import { ADMIN, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

test('/balance shows what is left, for how long, and whether the charges account for it', async () => {
  await database.prisma.charge.deleteMany()
  await database.prisma.spendDay.deleteMany()
  const { send, answerTo } = await setUp()
  const before = await answerTo(await send('/balance', { userId: ADMIN }))

  const after = await answerTo(await send('/balance', { userId: ADMIN }))

  expect(before).toContain(
    'The bot’s account at the service has ₽1,234.50 left.\nNothing was spent in the last 7 days.',
  )
  expect(after).toMatch(
    /^Since .+ the balance went down by ₽0\.000000, and users were charged ₽0\.000000\.\nDifference: ₽0\.000000\.$/m,
  )
})
