import { expect, test } from 'vitest'
import {
  isUnusualSpend,
  type MoneyWatchContext,
  watchMoney,
} from '../../../src/bot/admin/money-watch.ts'
import type { Outlook } from '../../../src/bot/spend/balance.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { createLimitTexts } from '../../../src/bot/spend/limit-texts.ts'
import { EVERYBODY, Limits } from '../../../src/bot/spend/limits.ts'
import type { SettingValues } from '../../../src/bot/stored-settings.ts'
import { withoutMarks } from '../../../src/bot/texts/marks.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { addCharge } from '../spend/add-charge.ts'
import { createAlertsSetup, HOUR_MS, NOON } from './alerts-setup.ts'

const ADMIN = 11
const ANNA = 101
const RUB = 1_000_000n
const DAY_MS = 24 * HOUR_MS
const timeZone = 'Europe/Moscow'

const OFF: Partial<SettingValues> = {
  balanceBelowMicroRub: undefined,
  daysLeftBelow: undefined,
  unusualTimes: undefined,
}

async function setUp(wanted: Partial<SettingValues> = {}, outlook?: Outlook) {
  const settings = { ...OFF, ...wanted }
  const setup = await createAlertsSetup({ adminIds: [ADMIN], settings })
  const { prisma, processes } = setup
  const contexts = processes.map((process): MoneyWatchContext => {
    const calendar = createCalendar({ timeZone })
    const limits = new Limits({ prisma: process.prisma, calendar, adminIds: new Set() })
    const limitTexts = createLimitTexts({ texts: process.texts, timeZone })
    return { ...process, calendar, limits, limitTexts, readOutlook: async () => outlook }
  })
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna', username: 'Anna_x' } })
  return {
    ...setup,
    takeTexts: () => setup.takeTexts().map(withoutMarks),
    look: () => Promise.all(contexts.map(watchMoney)),
    spend: (roubles: number, at = NOON) =>
      addCharge(prisma, { userId: ANNA, amountMicroRub: BigInt(roubles) * RUB, at }),
    limit: (roubles: bigint) =>
      new Limits({ prisma, calendar: createCalendar({ timeZone }), adminIds: new Set() }).set({
        ...{ subjectId: EVERYBODY, period: 'month', adminId: ADMIN },
        amountMicroRub: roubles * RUB,
      }),
  }
}

const POOR: Outlook = {
  balanceMicroRub: 400_000_000n,
  dayPaceMicroRub: 160_000_000n,
  daysLeft: 2.5,
}

test('a balance below the amount is reported by one process, and again in an hour if money was spent', async () => {
  const wanted = { balanceBelowMicroRub: 500_000_000n }
  const { clock, takeTexts, look, spend } = await setUp(wanted, POOR)
  await spend(1)

  await look()
  expect(takeTexts()).toEqual([expect.stringMatching(/₽400\.00 left, less than ₽500\.00/)])

  await spend(1, new Date(NOON.getTime() + 1))
  await clock.advance(HOUR_MS)
  await look()
  expect(takeTexts()).toEqual([])

  await clock.advance(1)
  await look()
  expect(takeTexts()).toHaveLength(1)

  await clock.advance(HOUR_MS + 1)
  await look()
  expect(takeTexts()).toEqual([])
})

test.each([
  [10, [expect.stringMatching(/left of this month’s limit for everybody.*it will last 2 days/s)]],
  [2, []],
])(
  'a limit for everybody that is used up %i days before it resets is reported if that is too early',
  async (daysLeft, expected) => {
    const month = { spentMicroRub: 600_000_000n, limitMicroRub: 1_000_000_000n, daysLeft }
    const { takeTexts, look } = await setUp({ daysLeftBelow: 3 }, { ...POOR, month })

    await look()

    expect(takeTexts()).toEqual(expected)
  },
)

test.each([
  ['is ₽100 and five times the mean', 100, 600, true],
  ['is under ₽100', 99, 0, false],
  ['is under five times the mean', 100, 601, false],
  ['is the first of the user', 100, 0, true],
])('spend is unusual, or not, if it %s', (_, rub, rubBefore, isUnusual) => {
  const spend = {
    todayMicroRub: BigInt(rub) * RUB,
    beforeMicroRub: BigInt(rubBefore) * RUB,
  }

  expect(isUnusualSpend(spend, 5)).toBe(isUnusual)
})

/** Spends so many roubles on days before today, the last number being yesterday's. */
async function spendBefore(prisma: PrismaClient, roubles: readonly number[]) {
  for (const [index, rub] of roubles.entries()) {
    const at = new Date(NOON.getTime() - (roubles.length - index) * DAY_MS)
    await addCharge(prisma, { userId: ANNA, amountMicroRub: BigInt(rub) * RUB, at })
  }
}

test('a user who spends five times their mean is reported, once in an hour while they go on', async () => {
  const { prisma, clock, takeTexts, look, spend } = await setUp({ unusualTimes: 5 })
  // The 31st day before is not counted.
  await spendBefore(prisma, [9000, ...Array(29).fill(0), 1500])
  await spend(249)
  await look()
  expect(takeTexts()).toEqual([])

  await spend(1)
  await look()
  expect(takeTexts()).toEqual([
    expect.stringMatching(
      /Anna \(@Anna_x\) has spent ₽250\.00 today; the mean .* is ₽50\.00 a day/,
    ),
  ])

  await clock.advance(HOUR_MS + 1)
  await look()
  expect(takeTexts()).toEqual([])

  await spend(1, new Date(NOON.getTime() + HOUR_MS))
  await look()
  expect(takeTexts()).toHaveLength(1)
})

test('at 80 and at 100 % of what everybody may spend admins read it once, whichever process looks, and again in the next month', async () => {
  const { clock, takeTexts, look, spend, limit } = await setUp()
  await limit(1_000n)
  await spend(799)
  await look()
  expect(takeTexts()).toEqual([])

  await spend(1)
  await look()
  expect(takeTexts()).toEqual([
    'For admins: everybody together has spent ₽800.00 of ₽1,000.00 a month: ₽200.00 is left. The limit resets on 1 Dec 2026, 00:00.',
  ])
  await clock.advance(2 * HOUR_MS)
  await spend(100)
  await look()
  expect(takeTexts()).toEqual([])

  await spend(100)
  await look()
  await look()
  expect(takeTexts()).toEqual([
    'For admins: the limit for everybody together, ₽1,000.00 a month, is reached. ₽0.00 is left, and what needs more is refused. The limit resets on 1 Dec 2026, 00:00.',
  ])

  await clock.advance(10 * DAY_MS)
  await look()
  expect(takeTexts()).toEqual([])
  await spend(900, new Date('2026-12-02T09:00:00Z'))
  await look()
  expect(takeTexts()).toEqual([expect.stringMatching(/spent ₽900\.00 of ₽1,000\.00/)])
})
