import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../../../src/platform/database/instance/session.ts'
import { createTestDatabase } from '../test-database.ts'

let url: string

beforeAll(async () => {
  url = await createTestDatabase()
})

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

async function start() {
  const session = await openSession(url, () => {})
  onTestFinished(session.close)
  return session
}

test('a notification reaches the listeners of its channel, and no other', async () => {
  const notifications = await start()
  const heard: string[] = []
  for (const [name, channel] of Object.entries({ a: 'one', b: 'two', c: 'two' })) {
    await new Promise<void>((onGap) => {
      const onNotification = (payload: string) => void heard.push(`${name} ${payload}`)
      notifications.listen(channel, { onNotification, onGap })
    })
  }

  await query(`SELECT pg_notify('three', '1'), pg_notify('two', '2')`)

  await expect.poll(() => heard).toEqual(['b 2', 'c 2'])
})

test('a listener hears of the gap when the connection is new, and notifications after it', async () => {
  const notifications = await start()
  const heard: string[] = []
  const listener = {
    onNotification: (payload: string) => void heard.push(payload),
    onGap: () => void heard.push('gap'),
  }
  notifications.listen('three', listener)
  await expect.poll(() => heard).toEqual(['gap'])

  await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE 'LISTEN %three%' AND datname = current_database()`)
  await expect.poll(() => heard).toEqual(['gap', 'gap'])
  await query(`NOTIFY three, 'heard'`)

  await expect.poll(() => heard).toEqual(['gap', 'gap', 'heard'])
})
