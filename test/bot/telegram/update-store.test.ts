import { expect, onTestFinished, test } from 'vitest'
import { createTelegramClock } from '../../../src/bot/telegram/telegram-clock.ts'
import { UpdateStore } from '../../../src/bot/telegram/update-store.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { messageUpdate } from './inbox-setup.ts'

const HOUR_MS = 3_600_000

test.each([
  ['whose clock is right', 0],
  ['whose clock is five hours ahead', -5],
  ['whose clock is five hours behind', 5],
])('a message is as old as Telegram says, for a server %s', async (_name, hours) => {
  const { pool, close } = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(close)
  const clock = createTelegramClock()
  const telegramMs = Date.now() + hours * HOUR_MS
  clock.take(new Date(telegramMs).toUTCString())
  const store = new UpdateStore(pool, clock.now)
  const updates = [0.1, 0.9, 1.1, 3].map((ageHours, index) => ({
    update: messageUpdate(index + 1, 'Question'),
    threadKey: `chat ${index}`,
    sentAt: new Date(telegramMs - ageHours * HOUR_MS),
  }))
  await store.add(updates, { notifies: false })

  const since = await store.now()
  const found = await store.findUnhandled({ except: [], limit: 10, since })

  const late = found.filter(({ isLate }) => isLate).map(({ update }) => update.update_id)
  expect(late.toSorted()).toEqual([3, 4])
  expect(found).toHaveLength(4)
})
