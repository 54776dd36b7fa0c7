import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSpendReports } from '../../../src/bot/spend/reports.ts'
import { openTestDatabase, type TestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'
import { type AddedCharge, addCharge, takeBack } from './add-charge.ts'

const ANNA = 501n
const BORIS = 502n
let database: TestDatabase

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.createMany({
    data: [
      { id: ANNA, firstName: 'Anna', username: 'anna' },
      { id: BORIS, firstName: 'Boris' },
      { id: 503n, firstName: 'Vera' },
    ],
  })
})
beforeEach(() => database.prisma.charge.deleteMany())
afterAll(() => database.close())

test.each([
  // [what it is about, zone, now, charged at, counts today, counts this month]
  [
    'a charge of this minute',
    'Europe/Moscow',
    '2026-11-21T10:00Z',
    '2026-11-21T10:00Z',
    true,
    true,
  ],
  [
    'the first instant',
    'Europe/Moscow',
    '2026-11-21T10:00Z',
    '2026-11-20T21:00:00.000Z',
    true,
    true,
  ],
  [
    'just before midnight',
    'Europe/Moscow',
    '2026-11-21T10:00Z',
    '2026-11-20T20:59:59.999Z',
    false,
    true,
  ],
  ['one zone further west', 'UTC', '2026-11-21T10:00Z', '2026-11-20T21:00:00.000Z', false, true],
  [
    'the first of the month',
    'Europe/Moscow',
    '2026-11-21T10:00Z',
    '2026-10-31T21:00Z',
    false,
    true,
  ],
  ['the month before', 'Europe/Moscow', '2026-11-21T10:00Z', '2026-10-31T20:59:59Z', false, false],
  [
    'the same month a year ago',
    'Europe/Moscow',
    '2026-11-21T10:00Z',
    '2025-11-21T10:00Z',
    false,
    false,
  ],
  ['the old year', 'Europe/Moscow', '2026-12-31T21:00Z', '2026-12-31T20:59:59Z', false, false],
  ['the new year', 'Europe/Moscow', '2026-12-31T21:00Z', '2026-12-31T21:00Z', true, true],
  [
    'the new year in New York',
    'America/New_York',
    '2027-01-01T05:00Z',
    '2027-01-01T04:59Z',
    false,
    false,
  ],
  ['a day of 23 hours', 'Europe/Berlin', '2027-03-28T21:30Z', '2027-03-27T23:00Z', true, true],
  [
    'before a day of 23 hours',
    'Europe/Berlin',
    '2027-03-28T21:30Z',
    '2027-03-27T22:59Z',
    false,
    true,
  ],
])('%s (%s, at %s)', async (_name, timeZone, now, createdAt, isToday, isThisMonth) => {
  await charge({ userId: ANNA, amountMicroRub: 7n, createdAt })
  const reports = createSpendReports({
    prisma: database.prisma,
    timeZone,
    now: () => new Date(now),
  })

  const spend = await reports.ofUser(ANNA)

  expect(spend).toEqual({
    todayMicroRub: isToday ? 7n : 0n,
    monthMicroRub: isThisMonth ? 7n : 0n,
    totalMicroRub: 7n,
    estimatedMicroRub: 0n,
  })
})

test('reversals and estimates are part of the sums, other users are not', async () => {
  const createdAt = '2026-11-21T10:00Z'
  const clip = await charge({
    userId: ANNA,
    amountMicroRub: 40_000_000n,
    createdAt,
    estimated: true,
  })
  await takeBack(database.prisma, clip, { at: createdAt })
  await charge({ userId: ANNA, amountMicroRub: 3n, createdAt, estimated: true })
  await charge({ userId: ANNA, amountMicroRub: 5n, createdAt })
  await charge({ userId: BORIS, amountMicroRub: 100n, createdAt })

  const spend = await reportsAt(createdAt).ofUser(ANNA)

  expect(spend).toMatchObject({ totalMicroRub: 8n, estimatedMicroRub: 3n })
})

test('write-offs are off what users spent, and with it they come to what the service charged', async () => {
  const [yesterday, createdAt] = ['2026-11-20T10:00Z', '2026-11-21T10:00Z']
  await charge({ userId: ANNA, amountMicroRub: 40n, createdAt: yesterday })
  const kept = await charge({ userId: ANNA, amountMicroRub: 30n, createdAt })
  const given = await charge({ userId: BORIS, amountMicroRub: 20n, createdAt })
  await takeBack(database.prisma, kept, { writtenOff: true, at: createdAt })
  await takeBack(database.prisma, given, { at: createdAt })
  const reports = reportsAt(createdAt)

  const [spends, writtenOff] = [await reports.byUser(), await reports.writtenOff()]

  expect(spends.map(({ totalMicroRub }) => totalMicroRub)).toEqual([40n, 0n])
  expect(await reports.ofUser(ANNA)).toMatchObject({ todayMicroRub: 0n, totalMicroRub: 40n })
  expect(writtenOff).toEqual({ todayMicroRub: 30n, monthMicroRub: 30n, totalMicroRub: 30n })
})

test('nothing is written off where nothing was', async () => {
  const writtenOff = await reportsAt('2026-11-21T10:00Z').writtenOff()

  expect(writtenOff).toEqual({ todayMicroRub: 0n, monthMicroRub: 0n, totalMicroRub: 0n })
})

test('sums beyond what a double holds stay exact', async () => {
  const createdAt = '2026-11-21T10:00Z'
  await charge({ userId: ANNA, amountMicroRub: 9_007_199_254_740_993n, createdAt })
  await charge({ userId: ANNA, amountMicroRub: 2n, createdAt })

  const spend = await reportsAt(createdAt).ofUser(ANNA)

  expect(spend.totalMicroRub).toBe(9_007_199_254_740_995n)
})

test('the table lists everybody who was charged, the month’s first spender on top', async () => {
  await charge({ userId: ANNA, amountMicroRub: 900n, createdAt: '2026-10-01T10:00Z' })
  await charge({ userId: ANNA, amountMicroRub: 1n, createdAt: '2026-11-20T10:00Z' })
  await charge({ userId: BORIS, amountMicroRub: 50n, createdAt: '2026-11-21T10:00Z' })

  const table = await reportsAt('2026-11-21T12:00Z').byUser()

  expect(table).toEqual([
    {
      userId: BORIS,
      firstName: 'Boris',
      username: null,
      todayMicroRub: 50n,
      monthMicroRub: 50n,
      totalMicroRub: 50n,
    },
    {
      userId: ANNA,
      firstName: 'Anna',
      username: 'anna',
      todayMicroRub: 0n,
      monthMicroRub: 1n,
      totalMicroRub: 901n,
    },
  ])
})

function reportsAt(now: string) {
  return createSpendReports({
    prisma: database.prisma,
    timeZone: 'Europe/Moscow',
    now: () => new Date(now),
  })
}

function charge({ createdAt, ...given }: AddedCharge & { createdAt: string }) {
  return addCharge(database.prisma, { ...given, at: createdAt })
}
