import { expect, onTestFinished, test } from 'vitest'
import { createDigest } from '../../src/bot/admin/digest/digest.ts'
import type { Alert } from '../../src/bot/alerts/notify-admins.ts'
import { createMoneyWatch } from '../../src/bot/alerts/watch-money.ts'
import { createBotRetention } from '../../src/bot/retention.ts'
import { createRoutines } from '../../src/bot/routines.ts'
import { createCalendar } from '../../src/bot/spend/calendar.ts'
import { registerInstance } from '../../src/platform/database/instance/instance.ts'
import { createNotifications } from '../../src/platform/database/instance/notifications.ts'
import { readTime } from '../../src/platform/database/prisma.ts'
import { endInstance } from '../platform/database/instance/end-instance.ts'
import { openDueRows } from '../platform/jobs/open-due-rows.ts'
import { createDigestSetup, DIGEST_AT_TEN, type Sent } from './admin/digest/digest-setup.ts'
import { addCharge } from './spend/add-charge.ts'

const TEN = new Date('2026-11-22T07:00:00Z')
const DAY_MS = 24 * 3600_000

async function setUp() {
  const setup = await createDigestSetup()
  await setup.clock.stopAt(TEN)
  const notified: string[] = []
  const { prisma } = setup.open().database
  await prisma.routine.updateMany({ data: { dueAt: TEN } })
  await prisma.user.create({ data: { id: 101, firstName: 'Anna' } })
  await addCharge(prisma, { userId: 101, amountMicroRub: 5n, at: '2026-11-21T12:00:00Z' })
  const { clock, sent } = setup
  return { clock, prisma, sent, notified, startProcess, look, visitsEnd }

  async function startProcess({ send }: { send?: (sent: Sent) => Promise<void> } = {}) {
    const { database, deps } = setup.open(send && { send })
    const instance = await registerInstance({ url: setup.url, onError: () => {} })
    const notifications = createNotifications(instance.session)
    const { prisma, pool } = database
    const settings = {
      read: async () => ({ ...DIGEST_AT_TEN, balanceBelowMicroRub: 10n ** 15n }),
    }
    const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
    const moneyWatch = createMoneyWatch({
      prisma,
      settings,
      calendar,
      readOutlook: deps.readOutlook,
      everybodyWatch: { look: async () => {} },
      notifyAdmins: async ({ name }: Alert) => void notified.push(name),
      texts: deps.texts,
    })
    const routines = createRoutines({
      prisma,
      calendar,
      moneyWatch,
      digest: createDigest({ ...deps, prisma, settings }),
      retention: createBotRetention({ pool, retention: { changes: 30 }, log: { info: () => {} } }),
      dueRows: openDueRows({ pool, instance, notifications, log: { error: () => {} } }),
    })
    routines.start()
    onTestFinished(async () => {
      await routines.stop()
      await instance.release()
    })
    return { kill: () => endInstance(pool, instance) }
  }

  async function look() {
    await prisma.$executeRaw`SELECT pg_notify('bot.routine', '')`
  }

  /**
   * Waits until all that is due by now has been done and is due again. A visit that ends after the clock was moved
   * makes its routine due from then on, too late for the look that follows.
   */
  async function visitsEnd() {
    const due = { OR: [{ dueAt: { lte: await readTime(prisma) } }, { leaseOwner: { not: null } }] }
    await expect.poll(() => prisma.routine.count({ where: due })).toBe(0)
  }
}

test('two processes look at the money every five minutes and send the digest once a day', async () => {
  const { clock, sent, notified, startProcess, look, visitsEnd } = await setUp()
  await Promise.all([startProcess(), startProcess()])
  await expect.poll(() => [sent.length, notified.length]).toEqual([2, 1])
  await visitsEnd()

  await clock.advance(5 * 60_000)
  await look()
  await expect.poll(() => notified.length).toBe(2)
  await visitsEnd()
  expect(sent).toHaveLength(2)

  await clock.advance(DAY_MS)
  await look()
  await expect.poll(() => [sent.length, notified.length]).toEqual([4, 3])
  expect(new Set(notified)).toEqual(new Set(['balance-low']))
})

test('the routine of a process that died at it is gone on with by another', async () => {
  const { prisma, sent, startProcess } = await setUp()
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  onTestFinished(() => gate.resolve())
  const dying = await startProcess({
    send: async () => {
      begun.resolve()
      await gate.promise
      throw new Error('Too late')
    },
  })
  await begun.promise
  await dying.kill()

  await startProcess()

  const digest = () => prisma.routine.findFirstOrThrow({ where: { name: 'digest' } })
  await expect.poll(async () => (await digest()).dueAt?.getTime()).toBeGreaterThan(TEN.getTime())
  expect((await digest()).leaseOwner).toBeNull()
  // It may stand in the chat already.
  expect(sent).toEqual([])
})
