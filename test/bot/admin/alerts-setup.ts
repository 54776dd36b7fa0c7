import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { Alerts } from '../../../src/bot/admin/alerts.ts'
import { type SettingValues, StoredSettings } from '../../../src/bot/stored-settings.ts'
import type { Outbox } from '../../../src/bot/telegram/send.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

export const ADMINS = [11, 12]
/** Noon in Moscow. */
export const NOON = new Date('2026-11-22T09:00:00Z')
export const HOUR_MS = 3600_000

/** Two processes with one database, whose clock is stopped, and the messages to their admins. */
export async function createAlertsSetup({
  adminIds = ADMINS,
  settings = {},
}: {
  adminIds?: number[]
  settings?: Partial<SettingValues>
} = {}) {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  await clock.stopAt(NOON)
  const sent: Parameters<Outbox['send']>[0][] = []
  const processClock = createManualClock()
  const processes = [url, url].map((at) => {
    const { prisma, close } = openTestDatabase({ url: at, connectionsMax: 2 })
    onTestFinished(close)
    const storedSettings = new StoredSettings(prisma)
    const texts = createTexts()
    const alerts = new Alerts({
      prisma,
      storedSettings,
      roles: {
        admins: async () =>
          adminIds.map((userId) => ({ userId, role: 'admin', languageCode: 'en' })),
      },
      outbox: { send: async (message) => void sent.push(message) as never },
      texts,
      isServiceInside: false,
      clock: processClock,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
    })
    return { prisma, storedSettings, texts, alerts }
  })
  const [one, other] = processes
  if (one === undefined || other === undefined) throw new Error('There are no processes')
  await one.storedSettings.set(settings, { adminId: 11 })
  /** Takes the messages since the last call. */
  const takeTexts = () =>
    sent.splice(0).map((message) => ('text' in message ? (message.text ?? '') : ''))
  return { prisma: one.prisma, clock, processClock, processes, one, other, sent, takeTexts }
}
