import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { addSpend, NO_SPEND, type ReportSpan, Reports } from '../../../src/bot/spend/reports.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { type AddedCharge, addCharge, takeBack } from './add-charge.ts'

const ANNA = 501n
const BORIS = 502n
const VERA = 503n
const GROUP = -1001n
const NOW = '2026-11-21T10:00Z'
let database: TestDatabase

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.createMany({
    data: [
      { id: ANNA, firstName: 'Anna', username: 'anna' },
      { id: BORIS, firstName: 'Boris' },
      { id: VERA, firstName: 'Vera' },
    ],
  })
})
beforeEach(async () => {
  await database.prisma.charge.deleteMany()
  await database.prisma.spendDay.deleteMany()
})
afterAll(() => database.close())

test.each([
  // [what it is about, zone, now, charged at, counts today, counts this month]
  ['the first instant', 'Europe/Moscow', NOW, '2026-11-20T21:00:00.000Z', true, true],
  ['just before midnight', 'Europe/Moscow', NOW, '2026-11-20T20:59:59.999Z', false, true],
  ['the month before', 'Europe/Moscow', NOW, '2026-10-31T20:59:59Z', false, false],
  ['the new year', 'Europe/Moscow', '2026-12-31T21:00Z', '2026-12-31T21:00Z', true, true],
  [
    'the new year in New York',
    ...(['America/New_York', '2027-01-01T05:00Z', '2027-01-01T04:59Z', false, false] as const),
  ],
  [
    'a day of 23 hours',
    ...(['Europe/Berlin', '2027-03-28T21:30Z', '2027-03-27T23:00Z', true, true] as const),
  ],
])('%s (%s, at %s)', async (_name, timeZone, now, at, isToday, isThisMonth) => {
  await charge({ userId: ANNA, amountMicroRub: 7n, at, timeZone })
  const reports = reportsAt(now, timeZone)

  const sumOf = async (span: ReportSpan) => (await reports.overview({ span })).sum.amountMicroRub

  expect(await sumOf('today')).toBe(isToday ? 7n : 0n)
  expect(await sumOf('month')).toBe(isThisMonth ? 7n : 0n)
  expect(await sumOf('all')).toBe(7n)
})

test('every list of an overview adds up to its sum, of each span', async () => {
  await chargeAll()

  for (const span of ['today', '7d', '30d', 'month', 'all'] as const) {
    const { sum, ...lists } = await reportsAt(NOW).overview({ span }, 1)

    const { users, rest, byKind, byItem, byDay } = lists
    expect(sum.amountMicroRub).toBeGreaterThan(0n)
    expect([...users.map(({ spend }) => spend), rest.spend].reduce(addSpend, NO_SPEND)).toEqual(sum)
    expect(byKind.map(({ spend }) => spend).reduce(addSpend, NO_SPEND)).toEqual(sum)
    expect(byItem.map(({ spend }) => spend).reduce(addSpend, NO_SPEND)).toEqual(sum)
    expect(total(byDay.map(({ amountMicroRub }) => amountMicroRub))).toBe(sum.amountMicroRub)
    expect(total(byDay.flatMap(({ byKind }) => [...byKind.values()]))).toBe(sum.amountMicroRub)
  }
})

test('an overview names who spent most, and counts the others', async () => {
  await chargeAll()

  const { users, rest } = await reportsAt(NOW).overview({ span: 'all' }, 2)

  expect(users.map(({ user, spend }) => [user, spend.amountMicroRub])).toEqual([
    [{ id: BORIS, firstName: 'Boris', username: null }, 20_000_005n],
    [{ id: ANNA, firstName: 'Anna', username: 'anna' }, 3_000_300n],
  ])
  expect(rest).toMatchObject({ users: 1, spend: { amountMicroRub: 11n } })
})

test.each([
  [{ userId: ANNA }, 3_000_300n],
  [{ chatId: GROUP }, 16n],
  [{ kind: 'video' }, 20_000_000n],
] as const)('of %s it has what matches, of all time and of 30 days', async (filter, amount) => {
  await chargeAll()

  for (const span of ['30d', 'all'] as const) {
    const { sum, byDay } = await reportsAt(NOW).overview({ span, ...filter })

    expect(sum.amountMicroRub).toBe(amount)
    expect(total(byDay.map(({ amountMicroRub }) => amountMicroRub))).toBe(amount)
  }
})

test('what was taken back is off the sums, and what was written off stands beside them', async () => {
  const made = { amountMicroRub: 40n, kind: 'video', item: 'vidgen-720p-5s', at: NOW } as const
  const kept = await charge({ userId: ANNA, ...made })
  await takeBack(database.prisma, kept, { writtenOff: true, at: NOW })
  const given = await charge({ userId: BORIS, ...made, amountMicroRub: 20n })
  await takeBack(database.prisma, given, { at: NOW })
  await charge({ userId: ANNA, amountMicroRub: 3n, estimated: true, at: NOW })

  const { sum, users } = await reportsAt(NOW).overview({ span: 'today' })

  expect(sum).toMatchObject({
    charges: 3,
    amountMicroRub: 3n,
    estimatedMicroRub: 3n,
    writtenOffMicroRub: 40n,
  })
  expect(users.map(({ spend }) => spend.amountMicroRub)).toEqual([3n, 0n])
})

test('sums beyond what a double holds stay exact', async () => {
  await charge({ userId: ANNA, amountMicroRub: 9_007_199_254_740_993n, at: NOW })
  await charge({ userId: ANNA, amountMicroRub: 2n, at: NOW })

  const { sum } = await reportsAt(NOW).overview({ span: '7d' })

  expect(sum.amountMicroRub).toBe(9_007_199_254_740_995n)
})

async function chargeAll(): Promise<void> {
  const group = { chatId: GROUP, item: 'alpha-large', at: NOW }
  await charge({ userId: BORIS, amountMicroRub: 5n, ...group })
  await charge({ userId: VERA, amountMicroRub: 11n, ...group })
  await charge({ userId: ANNA, amountMicroRub: 300n, item: 'alpha-small', at: '2026-11-18T10:00Z' })
  const image = { kind: 'image', item: 'imagegen', at: NOW } as const
  await charge({ userId: ANNA, amountMicroRub: 3_000_000n, ...image })
  const video = { kind: 'video', item: 'vidgen-720p-5s', at: '2026-10-30T10:00Z' } as const
  await charge({ userId: BORIS, amountMicroRub: 20_000_000n, ...video })
}

function charge(charge: AddedCharge): Promise<bigint> {
  return addCharge(database.prisma, charge)
}

function reportsAt(now: string, timeZone = 'Europe/Moscow') {
  const calendar = createCalendar({ timeZone, now: () => new Date(now) })
  return new Reports({ prisma: database.prisma, calendar })
}

function total(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
