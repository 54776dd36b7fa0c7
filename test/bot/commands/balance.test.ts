import { expect, test } from 'vitest'
import { ADMIN, database, setUp, useCommands, VIEWER } from './commands-setup.ts'

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

test('/balance of own money shows what the month has cost, and what the limit for everybody leaves of it', async () => {
  const { send, answerTo } = await setUp({ spendsOwnMoney: true })
  const ask = async (text: string, userId = ADMIN) => answerTo(await send(text, { userId }))

  expect(await ask('/balance')).toMatch(
    /^Spent this month: ₽0\.00\.\nEverybody together may spend without a limit\./,
  )
  await ask('/limit all 5000 month')
  expect(await ask('/balance', VIEWER)).toMatch(
    /^Spent this month: ₽0\.00\. ₽5,000\.00 is left of the month’s limit for everybody, ₽5,000\.00\./,
  )
})
