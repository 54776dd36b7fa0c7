import { expect, test } from 'vitest'
import { type MoneyWatchContext, watchMoney } from '../../../src/bot/admin/money-watch.ts'
import type { Outlook } from '../../../src/bot/spend/balance.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { createLimitTexts } from '../../../src/bot/spend/limit-texts.ts'
import { EVERYBODY, Limits } from '../../../src/bot/spend/limits.ts'
import type { SettingValues } from '../../../src/bot/stored-settings.ts'
import { withoutMarks } from '../../../src/bot/texts/marks.ts'
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
}

async function setUp(wanted: Partial<SettingValues> = {}, outlook?: Outlook) {
  const settings = { ...OFF, ...wanted }
  const setup = await createAlertsSetup({ adminIds: [ADMIN], settings })
  const { prisma, processes } = setup
  const contexts = processes.map((process): MoneyWatchContext => {
    const calendar = createCalendar({ timeZone })
    const limits = new Limits({ prisma: process.prisma, calendar, adminIds: new Set() })
    const limitTexts = createLimitTexts({ texts: process.texts, timeZone })
    return { ...process, limits, limitTexts, readOutlook: async () => outlook }
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

test('a balance below the amount is reported by one process, and again after a day', async () => {
  const wanted = { balanceBelowMicroRub: 500_000_000n }
  const { clock, takeTexts, look } = await setUp(wanted, POOR)

  await look()
  expect(takeTexts()).toEqual([expect.stringMatching(/₽400\.00 left, less than ₽500\.00/)])

  await clock.advance(DAY_MS)
  await look()
  expect(takeTexts()).toEqual([])

  await clock.advance(1)
  await look()
  expect(takeTexts()).toHaveLength(1)
})

test('a balance that lasts for fewer days than admins set is reported', async () => {
  const { takeTexts, look } = await setUp({ daysLeftBelow: 3 }, POOR)

  await look()

  expect(takeTexts()).toEqual([expect.stringMatching(/₽160\.00 a day, it will last 2 days/)])
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
    'For admins: everybody together has spent ₽800.00 of ₽1,000.00 a month: ₽200.00 is left. The limit resets on 1 Dec 2026, 00:00. To change it: /limit',
  ])
  await clock.advance(2 * HOUR_MS)
  await spend(100)
  await look()
  expect(takeTexts()).toEqual([])

  await spend(100)
  await look()
  await look()
  expect(takeTexts()).toEqual([
    'For admins: the limit for everybody together, ₽1,000.00 a month, is reached. ₽0.00 is left, and what needs more is refused. The limit resets on 1 Dec 2026, 00:00. To change it: /limit',
  ])

  await clock.advance(10 * DAY_MS)
  await look()
  expect(takeTexts()).toEqual([])
  await spend(900, new Date('2026-12-02T09:00:00Z'))
  await look()
  expect(takeTexts()).toEqual([expect.stringMatching(/spent ₽900\.00 of ₽1,000\.00/)])
})
