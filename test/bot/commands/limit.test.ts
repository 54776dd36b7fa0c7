import { expect, test } from 'vitest'
import { ADMIN, addSpender, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

async function limit(argument: string) {
  const { send, answerTo } = await setUp()
  return answerTo(await send(`/limit ${argument}`, { userId: ADMIN }))
}

test('/limit sets what a user may spend, and shows what is spent of it', async () => {
  const userId = await addSpender({ amountMicroRub: 120_000_000n })

  const answer = await limit(`${userId} 500 month`)

  expect(answer).toBe(
    `Limits of Anna (${userId}):\n` +
      '₽500.00 a month (own) — spent ₽120.00, in progress ₽0.00, left ₽380.00',
  )
  expect(await database.prisma.change.findMany()).toMatchObject([
    { adminId: BigInt(ADMIN), what: 'limit_month', before: null, after: '500000000' },
  ])
})

test('a default holds for who has no limit of their own, and not for admins; none exempts from it', async () => {
  const { send, answerTo } = await setUp()
  const userId = 97
  await database.prisma.user.createMany({
    data: [
      { id: userId, firstName: 'Anna' },
      { id: ADMIN, firstName: 'Admin' },
    ],
  })
  const says = async (text: string) => answerTo(await send(text, { userId: ADMIN }))

  expect(await says('/limit default 200 day')).toContain(
    'for a user: ₽200.00 a day\nfor a group: no limit',
  )
  expect(await says(`/limit ${userId}`)).toContain('₽200.00 a day (default) — spent')
  expect(await says(`/limit ${ADMIN}`)).toMatch(/:\nno limit$/)
  expect(await says(`/limit ${userId} none day`)).toMatch(/:\nno daily limit \(own\)$/)
  expect(await says(`/limit ${userId} default day`)).toContain('₽200.00 a day (default)')
  expect(await says('/limit groups 3000 week')).toContain('a group: ₽3,000.00 a week')
  expect(await says('/limit default default day')).toContain('for a user: no limit')
})

test('/limit all sets what everybody together may spend, shows what is spent of it, and takes it away', async () => {
  const { send, answerTo } = await setUp()
  const says = async (text: string) => answerTo(await send(text, { userId: ADMIN }))
  await database.prisma.spendDay.deleteMany()

  expect(await says('/limit all 3000 month')).toBe(
    'Limits for everybody together:\n' +
      '₽3,000.00 a month (set by an admin) — spent ₽0.00, in progress ₽0.00, left ₽3,000.00',
  )
  expect(await says('/limit')).toMatch(/^Everybody together: ₽3,000\.00 a month\n\nDefault limits:/)
  expect(await says('/limit все 100 день')).toContain('₽100.00 a day (set by an admin)')
  expect(await says('/limit all default day')).not.toContain('a day')
  expect(await says('/limit all default month')).toBe('Limits for everybody together:\nno limit')
  expect(await database.prisma.change.findMany({ where: { subjectId: -2 } })).toMatchObject([
    { what: 'limit_month', before: null, after: '3000000000' },
    { what: 'limit_day', before: null, after: '100000000' },
    { what: 'limit_day', before: '100000000', after: null },
    { what: 'limit_month', before: '3000000000', after: null },
  ])
})

test.each([
  ['@nobody 500 month', 'I know no user or group “@nobody”'],
  ['default -5 month', 'An amount can’t be below zero'],
  ['default 99999999999999999999999 month', 'At most 1,000,000,000 roubles'],
  ['default 1e3 month', 'Write an amount such as 50 or 2.50'],
  ['default 500', 'Add a period'],
])('/limit %s is refused: %s', async (argument, expected) => {
  expect(await limit(argument)).toContain(expected)
  expect(await database.prisma.spendLimit.count({ where: { subjectId: { in: [0, -1] } } })).toBe(1)
})
