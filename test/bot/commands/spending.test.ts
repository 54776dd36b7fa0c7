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

test('/balance of own money shows what the month has cost, and what is left of a budget', async () => {
  const { send, answerTo } = await setUp({ spendsOwnMoney: true })
  const ask = async (text: string, userId = ADMIN) => answerTo(await send(text, { userId }))

  expect(await ask('/balance')).toMatch(
    /^Spent this month: ₽0\.00\.\nNothing was spent in the last 7 days\.\nNo budget is set\. \/balance 5000/,
  )
  expect(await ask('/balance 5000')).toMatch(
    /^Spent this month: ₽0\.00\. ₽5,000\.00 is left of the month’s budget, ₽5,000\.00\./,
  )
  expect(await ask('/balance a lot')).toMatch(/^Write the month’s budget in roubles/)
  expect(await ask('/balance -5')).toMatch(/^Write the month’s budget in roubles/)
  expect(await ask('/balance 1', VIEWER)).toMatch(/^Only admins set the budget/)
  expect(await ask('/balance off')).toContain('No budget is set.')
})

test('/balance sets no budget where the money is on an account', async () => {
  const { send, answerTo } = await setUp()

  expect(await answerTo(await send('/balance 5000', { userId: ADMIN }))).toMatch(
    /^The money is on the bot’s account at the service/,
  )
})
