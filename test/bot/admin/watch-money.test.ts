import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { AlertSettingValues } from '../../../src/bot/admin/alert-settings.ts'
import { createNotifyAdmins } from '../../../src/bot/admin/notify-admins.ts'
import { createMoneyWatch, isUnusualSpend } from '../../../src/bot/admin/watch-money.ts'
import type { Outlook } from '../../../src/bot/spend/balance.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { addCharge } from '../spend/add-charge.ts'

const ADMIN = 11
const ANNA = 101
const BORIS = 102
const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
/** Noon in Moscow. */
const NOON = new Date('2026-11-22T09:00:00Z')

const OFF: AlertSettingValues = {
  balanceBelowMicroRub: undefined,
  daysLeftBelow: undefined,
  unusualTimes: undefined,
  serviceFailures: true,
  digestHour: undefined,
}

/** Two processes with one database, whose clock is stopped, and the alerts of their admin. */
async function setUp(
  wanted: Partial<AlertSettingValues>,
  { outlook, languageCode = 'en' }: { outlook?: Outlook; languageCode?: string } = {},
) {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  await clock.stopAt(NOON)
  const databases = [url, url].map((at) => openTestDatabase({ url: at, connectionsMax: 2 }))
  onTestFinished(async () => void (await Promise.all(databases.map(({ close }) => close()))))
  const alerts: string[] = []
  const watches = databases.map(({ prisma }) =>
    createMoneyWatch({
      prisma,
      settings: { read: async () => ({ ...OFF, ...wanted }) },
      calendar: createCalendar({ timeZone: 'Europe/Moscow' }),
      readOutlook: async () => outlook,
      everybodyWatch: { look: async () => {} },
      notifyAdmins: createNotifyAdmins({
        prisma,
        outbox: { send: async (message) => void alerts.push(JSON.stringify(message)) as never },
        roles: { admins: async () => [{ userId: ADMIN, role: 'admin', languageCode }] },
        log: pino({ level: 'silent' }),
        signal: new AbortController().signal,
      }),
      texts: createTexts(),
    }),
  )
  const { prisma } = databases[0] ?? openTestDatabase({ url })
  for (const [id, firstName] of [
    [ANNA, 'Anna'],
    [BORIS, 'Boris'],
  ] as const) {
    await prisma.user.create({ data: { id, firstName, username: `${firstName}_x` } })
  }
  return { prisma, clock, alerts, look: () => Promise.all(watches.map((watch) => watch.look())) }
}

const POOR: Outlook = {
  balanceMicroRub: 400_000_000n,
  dayPaceMicroRub: 160_000_000n,
  daysLeft: 2.5,
}

test('a balance below the amount is reported by one process, and again in an hour if money was spent', async () => {
  const { prisma, clock, alerts, look } = await setUp(
    { balanceBelowMicroRub: 500_000_000n },
    { outlook: POOR },
  )
  const spend = (at: Date) => addCharge(prisma, { userId: ANNA, amountMicroRub: 1n, at })
  await spend(NOON)

  await look()
  expect(alerts).toEqual([expect.stringMatching(/₽400\.00 left, less than ₽500\.00/)])

  await spend(new Date(NOON.getTime() + 1))
  await clock.advance(HOUR_MS - 1)
  await look()
  expect(alerts).toHaveLength(1)

  await clock.advance(1)
  await look()
  expect(alerts).toHaveLength(2)

  await clock.advance(HOUR_MS)
  await look()
  expect(alerts).toHaveLength(2)
})

test.each([
  [10, [expect.stringMatching(/left of this month’s limit for everybody.*it will last 2 days/s)]],
  [2, []],
])(
  'a limit for everybody that is used up %i days before it resets is reported where that is too early',
  async (daysLeft, expected) => {
    const month = { spentMicroRub: 600_000_000n, limitMicroRub: 1_000_000_000n, daysLeft }
    const { alerts, look } = await setUp({ daysLeftBelow: 3 }, { outlook: { ...POOR, month } })

    await look()

    expect(alerts).toEqual(expected)
  },
)

/** Spends so many roubles on days before today, the last number being yesterday's. */
async function spendBefore(prisma: PrismaClient, userId: number, roubles: readonly number[]) {
  for (const [index, rub] of roubles.entries()) {
    const at = new Date(NOON.getTime() - (roubles.length - index) * DAY_MS)
    await addCharge(prisma, { userId, amountMicroRub: BigInt(rub) * 1_000_000n, at })
  }
}

const today = (userId: number, rub: number) => ({
  userId,
  amountMicroRub: BigInt(rub) * 1_000_000n,
  at: NOON,
})

test.each([
  ['is ₽100 and five times the mean', 100, 600, true],
  ['is under ₽100', 99, 0, false],
  ['is under five times the mean', 100, 601, false],
  ['is the first of the user', 100, 0, true],
])('spend is unusual, or not, where it %s', (_, rub, rubBefore, isUnusual) => {
  const spend = {
    todayMicroRub: BigInt(rub) * 1_000_000n,
    beforeMicroRub: BigInt(rubBefore) * 1_000_000n,
  }

  expect(isUnusualSpend(spend, 5)).toBe(isUnusual)
})

test('a user who spends five times their mean is reported, once in an hour while they go on', async () => {
  const { prisma, clock, alerts, look } = await setUp({ unusualTimes: 5 })
  // The 31st day before is not counted.
  await spendBefore(prisma, ANNA, [9000, ...Array(29).fill(0), 1500])
  await addCharge(prisma, today(ANNA, 249))
  await look()
  expect(alerts).toEqual([])

  await addCharge(prisma, today(ANNA, 1))
  await look()
  expect(alerts).toEqual([
    expect.stringMatching(
      /Anna \(@Anna_x\) has spent ₽250\.00 today; the mean .* is ₽50\.00 a day/,
    ),
  ])

  await clock.advance(HOUR_MS)
  await look()
  expect(alerts).toHaveLength(1)

  await addCharge(prisma, { ...today(ANNA, 1), at: new Date(NOON.getTime() + HOUR_MS) })
  await look()
  expect(alerts).toHaveLength(2)
})
