import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { registerInstance } from '../../src/database/instance.ts'
import { startSweep } from '../../src/database/sweep.ts'
import { createTestDatabase } from './test-database.ts'

let url: string
let pool: pg.Pool
const closers: (() => Promise<void>)[] = []
const log = { error: vi.fn() }

beforeEach(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
  log.error.mockClear()
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  await pool.end()
})

/** A sweep, and how often it has looked which processes live. */
function open() {
  let looks = 0
  const counted = {
    query: (query: pg.QueryConfig) => {
      looks += 1
      return pool.query(query)
    },
  }
  const sweep = startSweep({ pool: counted as never, log })
  closers.push(sweep.stop)
  return { sweep, looks: () => looks }
}

test('what ended processes had leased is taken over before add() resolves', async () => {
  const { sweep } = open()
  const takeOver = vi.fn(async () => {})

  await sweep.add(takeOver)

  expect(takeOver).toHaveBeenCalledOnce()
})

test('each room takes over again when a process has ended, and not while all live', async () => {
  const other = await registerInstance(url, () => {})
  const { sweep, looks } = open()
  const rooms = [vi.fn(async () => {}), vi.fn(async () => {})]
  for (const room of rooms) await sweep.add(room)
  await expect.poll(looks, { timeout: 5000 }).toBeGreaterThanOrEqual(2)
  const calledWhileAllLive = rooms.map((room) => room.mock.calls.length)

  await other.release()

  await expect
    .poll(() => rooms.map((room) => room.mock.calls.length), { timeout: 5000 })
    .toEqual([2, 2])
  expect(calledWhileAllLive).toEqual([1, 1])
})

test('a room that could not take over is called again, and holds up no other', async () => {
  const { sweep } = open()
  const failing = vi.fn(async () => {}).mockRejectedValueOnce(new Error('no database'))
  const other = vi.fn(async () => {})

  await sweep.add(failing)
  await sweep.add(other)

  await expect.poll(() => failing.mock.calls.length, { timeout: 5000 }).toBe(2)
  expect(other).toHaveBeenCalledOnce()
  expect(log.error).toHaveBeenCalledOnce()
})
