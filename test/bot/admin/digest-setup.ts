import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { DigestDeps } from '../../../src/bot/admin/digest.ts'
import type { RoleHolder } from '../../../src/bot/people/roles.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { Reports } from '../../../src/bot/spend/reports.ts'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

export const ADMIN: RoleHolder = { userId: 11, role: 'admin', languageCode: 'en' }
export const VIEWER: RoleHolder = { userId: 12, role: 'viewer', languageCode: 'ru' }

/** A message to a chat. */
export interface Sent {
  chatId: number
  text: string | undefined
  hasPicture: boolean
}

/** A database whose clock the test moves, and what processes have to send a digest with. */
export async function createDigestSetup({ timeZone = 'Europe/Moscow' } = {}) {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  const sent: Sent[] = []
  return { url, clock, sent, open }

  function open({ send }: { send?: (sent: Sent) => Promise<void> } = {}): {
    database: TestDatabase
    deps: DigestDeps
  } {
    const database = openTestDatabase({ url, connectionsMax: 4 })
    onTestFinished(() => database.close())
    const { prisma } = database
    const attempt = async (own: Sent) => {
      await send?.(own)
      sent.push(own)
    }
    const deps: DigestDeps = {
      prisma,
      storedSettings: new StoredSettings(prisma),
      roles: { holders: async () => [ADMIN, VIEWER] },
      reports: new Reports({ prisma, calendar: createCalendar({ timeZone }) }),
      pictures: { ofAll: async () => Uint8Array.of(1) },
      outbox: {
        async send(message) {
          const text = 'text' in message ? message.text : undefined
          await attempt({ chatId: message.chatId, text, hasPicture: false })
          return { chatId: message.chatId, messageId: 1 }
        },
        async sendMedia({ chatId, files }) {
          await attempt({ chatId, text: files[0]?.caption, hasPicture: true })
          return { chatId, messageIds: [1], files: [] }
        },
      },
      readOutlook: async () => ({
        balanceMicroRub: 900_000_000n,
        dayPaceMicroRub: 300_000_000n,
        daysLeft: 3,
      }),
      texts: createTexts(),
      timeZone,
      log: pino({ level: 'silent' }),
    }
    return { database, deps }
  }
}
