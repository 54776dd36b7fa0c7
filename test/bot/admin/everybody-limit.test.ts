import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createEverybodyWatch } from '../../../src/bot/admin/everybody-limit.ts'
import { createNotifyAdmins } from '../../../src/bot/admin/notify-admins.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { createLimitTexts } from '../../../src/bot/spend/limit-texts.ts'
import { EVERYBODY, Limits } from '../../../src/bot/spend/limits.ts'
import type { Outbox } from '../../../src/bot/telegram/send.ts'
import { withoutMarks } from '../../../src/bot/texts/marks.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { addCharge } from '../spend/add-charge.ts'

const ADMIN = 11
const ANNA = 101
const RUB = 1_000_000n
const HOUR_MS = 3600_000
const NOON = new Date('2026-11-22T09:00:00Z')
const timeZone = 'Europe/Moscow'

/** Two processes with one database, whose clock is stopped, a limit of 1,000 roubles a month, and what admins read. */
async function setUp({ languageCode = 'en' } = {}) {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  await clock.stopAt(NOON)
  const databases = [url, url].map((at) => openTestDatabase({ url: at, connectionsMax: 2 }))
  onTestFinished(async () => void (await Promise.all(databases.map(({ close }) => close()))))
  const sent: Parameters<Outbox['send']>[0][] = []
  const log = pino({ level: 'silent' })
  const calendar = createCalendar({ timeZone })
  const watches = databases.map(({ prisma }) =>
    createEverybodyWatch({
      prisma,
      limits: new Limits({ prisma, calendar, adminIds: new Set() }),
      limitTexts: createLimitTexts({ texts: createTexts(), timeZone }),
      notifyAdmins: createNotifyAdmins({
        prisma,
        outbox: { send: async (message) => void sent.push(message) as never },
        roles: { admins: async () => [{ userId: ADMIN, role: 'admin', languageCode }] },
        log,
        signal: new AbortController().signal,
      }),
      log,
    }),
  )
  const { prisma } = databases[0] ?? openTestDatabase({ url })
  const limits = new Limits({ prisma, calendar, adminIds: new Set() })
  const set = (roubles: bigint) =>
    limits.set({
      ...{ subjectId: EVERYBODY, period: 'month', adminId: ADMIN },
      amountMicroRub: roubles * RUB,
    })
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna' } })
  await set(1_000n)
  return {
    ...{ prisma, clock, limits, set },
    texts: () =>
      sent.splice(0).map((message) => ('text' in message ? withoutMarks(message.text) : undefined)),
    labels: () =>
      sent.map(({ keyboard }) => keyboard?.inline_keyboard.map(([button]) => button?.text)),
    look: () => Promise.all(watches.map((watch) => watch.look())),
    reached: () => Promise.all(watches.map((watch) => watch.reached('month'))),
    spend: (roubles: bigint, at = NOON) =>
      addCharge(prisma, { userId: ANNA, amountMicroRub: roubles * RUB, at }),
  }
}

test('at 80 and at 100 % of what everybody may spend admins read it once, whichever process looks, and again in the next month', async () => {
  const { clock, texts, labels, look, spend } = await setUp()
  await spend(799n)
  await look()
  expect(texts()).toEqual([])

  await spend(1n)
  await look()
  expect(labels()).toEqual([['+50%: ₽1,500.00', '×2: ₽2,000.00']])
  expect(texts()).toEqual([
    'For admins: everybody together has spent ₽800.00 of ₽1,000.00 a month: ₽200.00 is left. The limit resets on 1 Dec 2026, 00:00.',
  ])
  await clock.advance(2 * HOUR_MS)
  await spend(100n)
  await look()
  expect(texts()).toEqual([])

  await spend(100n)
  await look()
  await look()
  expect(texts()).toEqual([
    'For admins: the limit for everybody together, ₽1,000.00 a month, is reached. ₽0.00 is left, and what needs more is refused. The limit resets on 1 Dec 2026, 00:00.',
  ])

  await clock.advance(10 * 24 * HOUR_MS)
  await look()
  expect(texts()).toEqual([])
  await spend(900n, new Date('2026-12-02T09:00:00Z'))
  await look()
  expect(texts()).toEqual([expect.stringMatching(/spent ₽900\.00 of ₽1,000\.00/)])
})
