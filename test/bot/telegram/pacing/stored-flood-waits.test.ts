import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { FloodWait } from '../../../../src/bot/telegram/pacing/chat-queue.ts'
import { createStoredFloodWaits } from '../../../../src/bot/telegram/pacing/stored-flood-waits.ts'
import { createNotifications } from '../../../../src/platform/database/instance/notifications.ts'
import { openSession } from '../../../../src/platform/database/instance/session.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestClock } from '../../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const log = pino({ level: 'silent' })

async function createProcesses() {
  const url = await createTestDatabase()
  const { stopAt, advance } = await createTestClock(url)
  await stopAt(new Date(0))
  const { pool, prisma, close } = openTestDatabase({ url, connectionsMax: 4 })
  const stops: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const stop of stops) await stop()
    await close()
  })
  return { start, advance, ends }

  async function start() {
    const session = await openSession({ url, onError: () => {} })
    const instanceId = stops.length + 1
    const floodWaits = createStoredFloodWaits({
      pool,
      notifications: createNotifications(session),
      instanceId,
      log,
    })
    const heard: FloodWait[] = []
    floodWaits.onFloodWait((floodWait) => void heard.push(floodWait))
    stops.push(session.close)
    return { ...floodWaits, heard }
  }

  async function ends(): Promise<Record<string, number>> {
    const rows = await prisma.floodWait.findMany({ orderBy: { chatId: 'asc' } })
    return Object.fromEntries(rows.map(({ chatId, until }) => [String(chatId), until.getTime()]))
  }
}

test('a long flood wait outlives its process, a short one is not worth a row', async () => {
  const setup = await createProcesses()
  const first = await setup.start()
  first.record({ chatId: 5, retryAfterMs: 9_999 })
  first.record({ chatId: -100_123, retryAfterMs: 36_000_000 })
  first.record({ chatId: 0, retryAfterMs: 60_000 })
  await expect.poll(setup.ends).toEqual({ '-100123': 36_000_000, '0': 60_000 })
  await setup.advance(20_000)

  const second = await setup.start()
  await second.read()

  expect(second.heard.toSorted((a, b) => a.chatId - b.chatId)).toEqual([
    { chatId: -100_123, retryAfterMs: 35_980_000 },
    { chatId: 0, retryAfterMs: 40_000 },
  ])
  expect(first.heard).toEqual([])
})

test('other processes hear of a flood wait at once, and of one they missed as soon as they listen', async () => {
  const setup = await createProcesses()
  const first = await setup.start()
  first.record({ chatId: 1, retryAfterMs: 30_000 })
  await expect.poll(setup.ends).toEqual({ '1': 30_000 })

  const second = await setup.start()
  await expect.poll(() => second.heard).toEqual([{ chatId: 1, retryAfterMs: 30_000 }])
  first.record({ chatId: 2, retryAfterMs: 20_000 })
  await expect.poll(() => second.heard).toHaveLength(2)

  expect(second.heard[1]).toEqual({ chatId: 2, retryAfterMs: 20_000 })
  expect(first.heard).toEqual([])
})
