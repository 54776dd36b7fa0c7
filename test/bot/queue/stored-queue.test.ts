import { expect, onTestFinished, test } from 'vitest'
import { UNKNOWN_RATE_LIMIT } from '../../../src/bot/queue/rate-limit.ts'
import type { QueueEntry, QueueState } from '../../../src/bot/queue/shared-queue.ts'
import { createStoredQueue } from '../../../src/bot/queue/stored-queue.ts'
import { registerInstance } from '../../../src/database/instance.ts'
import { openTestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'

const MINUTE_MS = 61_000

async function openLine({ sharedNow }: { sharedNow?: () => Date } = {}) {
  const url = await createTestDatabase()
  const { pool, close } = openTestDatabase({ url, connectionsMax: 10 })
  const instance = await registerInstance(url, () => {})
  onTestFinished(async () => {
    await instance.release()
    await close()
  })
  const stored = createStoredQueue({ pool, instanceId: instance.id, sharedNow })
  return { pool, stored, instanceId: instance.id }
}

function entryOf(id: string, entry: Partial<QueueEntry> = {}): QueueEntry {
  const facts = { turnId: 1n, userId: 2n, instanceId: 3, place: 0, sentAt: undefined }
  return { id, ...facts, isOpen: true, ...entry }
}

test('a line is read as it was stored', async () => {
  const { stored, instanceId } = await openLine({ sharedNow: () => new Date(100_000) })
  const after: QueueState = {
    room: {
      limit: 30,
      refusedAt: 90_000,
      closedUntil: 110_000,
      triesFrom: 390_000,
      trialId: 'a',
      knownFrom: 1_000,
    },
    places: 7,
    entries: [
      entryOf('a', { sentAt: 80_000, isOpen: false, turnId: 2n ** 62n }),
      entryOf('b', { instanceId, place: 7, turnId: 5n }),
    ],
  }

  expect(await stored.save(await stored.read(), { after, notifiesOthers: true })).toBe(true)

  expect(await stored.read()).toEqual({ version: 1, now: 100_000, state: after, deadIds: [] })
})

test('of ten that change the same version one does, and the others store nothing', async () => {
  const { stored, instanceId } = await openLine()
  const snapshot = await stored.read()

  const saved = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const entries = [entryOf(String(index), { instanceId })]
      const after = { room: UNKNOWN_RATE_LIMIT, places: index, entries }
      return stored.save(snapshot, { after, notifiesOthers: false })
    }),
  )

  const { state, version } = await stored.read()
  const winner = saved.indexOf(true)
  expect(saved.filter(Boolean)).toHaveLength(1)
  expect(state.entries.map(({ id }) => id)).toEqual([String(winner)])
  expect({ places: state.places, version }).toEqual({ places: winner, version: 1 })
})

test('what waits for a process that does not live is told apart; what it sent still counts', async () => {
  const { stored } = await openLine({ sharedNow: () => new Date(10_000) })
  const dead = 12_345
  const entries = [
    entryOf('waits', { instanceId: dead }),
    entryOf('sent', { instanceId: dead, sentAt: 9_000 }),
  ]
  const after = { room: UNKNOWN_RATE_LIMIT, places: 1, entries }
  await stored.save(await stored.read(), { after, notifiesOthers: false })

  const { state, deadIds } = await stored.read()

  expect(state.entries.map(({ id }) => id)).toEqual(['sent'])
  expect(deadIds).toEqual(['waits'])
})

test('requests noted by many at once are all there, and are gone after a minute', async () => {
  let now = 0
  const { stored, pool } = await openLine({ sharedNow: () => new Date(now) })
  const ids = Array.from({ length: 20 }, (_, index) => String(index))
  await Promise.all(ids.map((id) => stored.noteSent([entryOf(id)])))
  // Who does not know whether it was stored notes it again.
  expect(await stored.noteSent([entryOf('0')])).toBe(false)
  expect((await stored.read()).state.entries).toHaveLength(20)

  now = MINUTE_MS
  await stored.noteSent([entryOf('late')])

  expect((await pool.query('SELECT id FROM bot.line_entry')).rows).toEqual([{ id: 'late' }])
})

test('the time is that of the database', async () => {
  const { stored, pool } = await openLine()
  await stored.noteSent([entryOf('a')])

  const { state, now } = await stored.read()

  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  const later = rows[0]?.now.getTime() ?? 0
  expect(later - now).toBeLessThan(5_000)
  expect(now - (state.entries[0]?.sentAt ?? 0)).toBeLessThan(5_000)
})
