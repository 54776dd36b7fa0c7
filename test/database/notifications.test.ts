import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNotifications } from '../../src/database/notifications.ts'
import { openTestDatabase, type TestDatabase } from './open-test-database.ts'
import { createTestDatabase } from './test-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

test('a notification reaches the listener of its channel, and no other', async () => {
  const heard: string[] = []
  const one = listen('one', (payload) => heard.push(`one ${payload}`))
  await one.ready
  const { promise, resolve } = Promise.withResolvers<string>()
  const two = listen('two', resolve)
  await two.ready

  await database.pool.query(`SELECT pg_notify('nobody', 'a'), pg_notify('two', 'b')`)

  expect(await promise).toBe('b')
  expect(heard).toEqual([])
})

test('a connection that broke is replaced, and the listener told of the gap', async () => {
  const gaps: number[] = []
  const second = Promise.withResolvers<void>()
  const errors: unknown[] = []
  const listening = listen('three', () => {}, {
    onGap: () => {
      if (gaps.push(1) === 2) second.resolve()
    },
    onError: (error) => errors.push(error),
  })
  await listening.ready

  await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE 'LISTEN %three%' AND datname = current_database()`)
  await second.promise

  expect(errors).toHaveLength(1)
})

test('stop() gives the connection back, also before there is one', async () => {
  const notifications = createNotifications({ pool: database.pool, onError: () => {} })
  notifications.start()

  await notifications.stop()
  await notifications.stop()

  expect(database.pool.waitingCount).toBe(0)
})

function listen(
  channel: string,
  onNotification: (payload: string) => void,
  { onGap = () => {}, onError = () => {} }: { onGap?(): void; onError?(error: unknown): void } = {},
) {
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const notifications = createNotifications({ pool: database.pool, onError })
  notifications.listen(channel, {
    onNotification,
    onGap: () => {
      onGap()
      resolve()
    },
  })
  notifications.start()
  onTestFinished(() => notifications.stop())
  return { ready }
}
