import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createSendScheduler } from '../../../../src/bot/telegram/pacing/send-scheduler.ts'
import { createStoredPaces } from '../../../../src/bot/telegram/pacing/stored-paces.ts'
import { createNotifications } from '../../../../src/platform/database/instance/notifications.ts'
import { openSession } from '../../../../src/platform/database/instance/session.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestClock } from '../../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

const GROUP = -5
const ANNA = 101
const log = pino({ level: 'silent' })

async function createProcesses() {
  const url = await createTestDatabase()
  const { stopAt, advance } = await createTestClock(url)
  await stopAt(new Date(0))
  const clock = createManualClock()
  const { pool, close } = openTestDatabase({ url, connectionsMax: 4 })
  const stops: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const stop of stops) await stop()
    await close()
  })
  return { start, pass, stored }

  async function start({ reads = true } = {}) {
    const session = await openSession({ url, onError: () => {} })
    stops.push(session.close)
    const instanceId = stops.length
    const notifications = createNotifications(session)
    const paces = createStoredPaces({ pool, notifications, instanceId, clock, log })
    const scheduler = createSendScheduler({ clock, onCalled: paces.record })
    let heard = 0
    paces.onCall((call) => {
      heard += 1
      scheduler.count(call)
    })
    let made = 0
    if (reads) await paces.read()
    return { read: paces.read, made: () => made, heard: () => heard, send }

    function send(chatId: number, count: number): void {
      for (let index = 0; index < count; index += 1) {
        const attempt = async () => {
          made += 1
          return undefined
        }
        scheduler.add({ chatId, urgency: 'new', key: 'send', attempt, onDrop: () => {} })
      }
    }
  }

  async function pass(ms: number): Promise<void> {
    // The database's first: a call is stored as the age that it has by the process's.
    await advance(ms)
    clock.advance(ms)
  }

  async function stored(): Promise<number> {
    const { rows } = await pool.query('SELECT FROM bot.chat_pace, unnest(called_at)')
    return rows.length
  }
}

test('two processes together keep the pace of a private chat', async () => {
  const setup = await createProcesses()
  const first = await setup.start()
  const second = await setup.start()
  first.send(ANNA, 3)
  await expect.poll(first.made).toBe(3)
  await setup.pass(100)
  await expect.poll(second.heard).toBe(3)

  second.send(ANNA, 2)
  await setup.pass(800)
  expect(second.made()).toBe(0)
  await setup.pass(100)
  await expect.poll(second.made).toBe(1)
  expect(first.heard()).toBe(0)
})

test('what a process sent to a group within the last minute counts for the next one, and no longer', async () => {
  const setup = await createProcesses()
  const first = await setup.start()
  first.send(GROUP, 20)
  await expect.poll(first.made).toBe(20)
  await setup.pass(100)
  await expect.poll(setup.stored).toBe(20)
  await setup.pass(30_000)

  const second = await setup.start()
  second.send(GROUP, 1)
  await setup.pass(29_800)
  expect(second.made()).toBe(0)
  await setup.pass(200)
  await expect.poll(second.made).toBe(1)

  await setup.pass(100)
  await expect.poll(setup.stored).toBe(1)
})
