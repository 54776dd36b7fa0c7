import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { addUpFinishedDates } from '../../../../src/bot/spend/charges/finished-dates.ts'
import { checkSums } from '../../../../src/bot/spend/check/check-sums.ts'
import { rebuildSums } from '../../../../src/bot/spend/check/rebuild-sums.ts'
import { createSpendReports } from '../../../../src/bot/spend/reports/spend-reports.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { addCharge, takeBack } from '../add-charge.ts'

const ANNA = 501n
const BORIS = 502n
const TODAY = '2026-11-04T10:00Z'
const calendar = createCalendar({ timeZone: 'Europe/Moscow', now: () => new Date(TODAY) })

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.createMany({
    data: [
      { id: ANNA, firstName: 'Anna' },
      { id: BORIS, firstName: 'Boris' },
    ],
  })
})
beforeEach(async () => {
  await database.pool.query(
    'TRUNCATE bot.charge, bot.spend_day, bot.spend_total, bot.spend_date, bot.spender',
  )
  for (const day of ['2026-10-30', '2026-10-31', '2026-11-02', '2026-11-04']) {
    await addCharge(database.prisma, { userId: ANNA, amountMicroRub: 9n, at: `${day}T09:00Z` })
    const clip = { kind: 'video', item: 'clip', estimated: true } as const
    await addCharge(database.prisma, {
      userId: BORIS,
      amountMicroRub: 40n,
      at: `${day}T09:00Z`,
      ...clip,
    })
  }
})
afterAll(() => database.close())

test('reports say the same before a date is added up and after, and count what is charged later', async () => {
  const before = await readReports()

  await addUp()

  expect(await readReports()).toEqual(before)
  const id = await addCharge(database.prisma, { userId: ANNA, amountMicroRub: 5n, at: TODAY })
  await takeBack(database.prisma, id, { at: TODAY, writtenOff: true })
  const [, , all] = await readReports()
  expect(all?.sum).toMatchObject({ charges: 9, amountMicroRub: 196n, writtenOffMicroRub: 5n })
})

test('a sum of a date that is wrong, or that a late charge is not in, is found by the check and mended by the rebuild', async () => {
  const { prisma } = database
  await addUp()
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 3n, at: '2026-10-31T09:00Z' })
  await prisma.spendDate.updateMany({ where: { kind: 'video' }, data: { charges: 7 } })

  const { differences } = await checkSums(prisma)
  await rebuildSums(prisma)

  expect(differences.map(({ table, key, column }) => `${table} ${key} ${column}`)).toEqual([
    'spend_date 2026-10-30 video clip charges',
    'spend_date 2026-10-31 video clip charges',
    'spend_date 2026-10-31 answer alpha-large amount_micro_rub',
    'spend_date 2026-10-31 answer alpha-large charges',
  ])
  expect(await checkSums(prisma)).toMatchObject({ differences: [] })
  expect(await dates()).toContain('2026-10-31 answer 12')
})

function addUp(): Promise<void> {
  return addUpFinishedDates(database.prisma, calendar)
}

async function dates(): Promise<string[]> {
  const rows = await database.prisma.spendDate.findMany({
    orderBy: [{ day: 'asc' }, { kind: 'asc' }],
  })
  return rows.map(
    ({ day, kind, amountMicroRub }) =>
      `${day.toISOString().slice(0, 10)} ${kind} ${amountMicroRub}`,
  )
}

function readReports() {
  const { overview } = createSpendReports({ prisma: database.prisma, calendar })
  const asked = [
    { span: 'today' },
    { span: '30d' },
    { span: 'all' },
    { span: 'all', kind: 'video' },
  ] as const
  return Promise.all(asked.map((spent) => overview(spent)))
}
