import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type Instance,
  registerInstance,
} from '../../../../src/platform/database/instance/instance.ts'
import { createNotifications } from '../../../../src/platform/database/instance/notifications.ts'
import { startSweep } from '../../../../src/platform/database/instance/sweep.ts'
import { createTestDatabase } from '../test-database.ts'
import { endInstance } from './end-instance.ts'

let url: string
let pool: pg.Pool
let instance: Instance
const closers: (() => Promise<void>)[] = []
const log = { error: vi.fn() }

beforeEach(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
  instance = await registerInstance({ url, onError: () => {} })
  closers.push(() => pool.end(), instance.release)
  log.error.mockClear()
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function open() {
  const notifications = createNotifications(instance.session)
  const listening = Promise.withResolvers<void>()
  const listen: typeof notifications.listen = (channel, { onNotification, onGap }) =>
    notifications.listen(channel, {
      onNotification,
      onGap: () => {
        onGap()
        listening.resolve()
      },
    })
  const sweep = startSweep({ notifications: { listen }, log })
  closers.push(sweep.stop)
  return { sweep, listening: listening.promise }
}

test('what ended processes had leased is taken over before add() resolves', async () => {
  const { sweep } = open()
  const takeOver = vi.fn(async () => {})

  await sweep.add(takeOver)

  expect(takeOver).toHaveBeenCalledOnce()
})

test.each([
  ['released itself', async (other: Instance) => other.release()],
  ['was ended by another', async (other: Instance) => endInstance(pool, other)],
])('each room takes over when a process %s, and not while all live', async (_, end) => {
  const other = await registerInstance({ url, onError: () => {} })
  closers.push(other.release)
  const { sweep, listening } = open()
  await listening
  const rooms = [vi.fn(async () => {}), vi.fn(async () => {})]
  for (const room of rooms) await sweep.add(room)

  await end(other)

  await expect.poll(() => rooms.map((room) => room.mock.calls.length)).toEqual([2, 2])
})

test('a room that could not take over is called again', async () => {
  const { sweep } = open()
  const failing = vi.fn(async () => {}).mockRejectedValueOnce(new Error('no database'))

  await sweep.add(failing)

  await expect.poll(() => failing.mock.calls.length).toBe(2)
  expect(log.error).toHaveBeenCalledOnce()
})
