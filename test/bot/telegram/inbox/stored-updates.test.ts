import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createStoredUpdates } from '../../../../src/bot/telegram/inbox/stored-updates.ts'
import { createTelegramClock } from '../../../../src/bot/telegram/telegram-clock.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { messageUpdate } from './inbox-setup.ts'

const HOUR_MS = 3_600_000

test.each([
  ['whose clock is right', 0],
  ['whose clock is five hours ahead', -5],
  ['whose clock is five hours behind', 5],
])('a message is as old as Telegram says, for a server %s', async (_name, hours) => {
  const pool = new pg.Pool({ connectionString: await createTestDatabase() })
  onTestFinished(() => pool.end())
  await pool.query(`INSERT INTO public.instance (id, works) VALUES (1, '{bot}')`)
  const clock = createTelegramClock()
  const telegramMs = Date.now() + hours * HOUR_MS
  clock.take(new Date(telegramMs).toUTCString())
  const stored = createStoredUpdates({ pool, instanceId: 1, telegramNow: clock.now })

  const leased = await stored.add(
    [0.1, 0.9, 1.1, 3].map((ageHours, index) => ({
      update: messageUpdate(index + 1, 'Question'),
      conversationKey: `chat ${index}`,
      sentAt: new Date(telegramMs - ageHours * HOUR_MS),
      waitMs: 0,
    })),
    { leases: true },
  )

  expect(leased.map(({ isLate }) => isLate)).toEqual([false, false, true, true])
})
