import pg from 'pg'
import { expect, test } from 'vitest'
import { aliveSql, countAlive, registerInstance } from '../../src/database/instance.ts'
import { createTestDatabase } from './test-database.ts'

async function isAlive(client: pg.Client, id: number): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${aliveSql('$1::int')} AS alive`, [id])
  return rows[0]?.alive
}

async function endSessionOf(client: pg.Client, id: number): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND objid::bigint = $1`,
    [id],
  )
}

test('an instance is alive until it is released', async () => {
  const url = await createTestDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const instance = await registerInstance(url, () => {})

  const before = await isAlive(client, instance.id)
  await instance.release()

  expect(before).toBe(true)
  await expect.poll(() => isAlive(client, instance.id)).toBe(false)
  await client.end()
})

test('an instance of one database is not alive in another', async () => {
  const [here, there] = await Promise.all([createTestDatabase(), createTestDatabase()])
  const client = new pg.Client({ connectionString: there })
  await client.connect()
  const instance = await registerInstance(here, () => {})

  expect(await isAlive(client, instance.id)).toBe(false)

  await instance.release()
  await client.end()
})

test('an instance whose connection was cut registers again under its id', async () => {
  const url = await createTestDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const errors: Error[] = []
  const instance = await registerInstance(url, (error) => errors.push(error))

  await endSessionOf(client, instance.id)

  await expect.poll(() => errors.length).toBeGreaterThan(0)
  await expect.poll(() => isAlive(client, instance.id)).toBe(true)
  await instance.release()
  await client.end()
})

test('living instances are counted by the work they do', async () => {
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  const both = await registerInstance(url, () => {}, ['bot', 'service'])
  const bot = await registerInstance(url, () => {}, ['bot'])

  expect(await countAlive(pool, 'bot')).toBe(2)
  expect(await countAlive(pool, 'service')).toBe(1)
  await bot.release()
  await expect.poll(() => countAlive(pool, 'bot')).toBe(1)

  await both.release()
  await pool.end()
})
