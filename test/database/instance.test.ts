import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aliveSql, countAlive, registerInstance } from '../../src/database/instance.ts'
import { createTestDatabase } from './test-database.ts'

/** What a message that holds a query begins with. */
const QUERY = 'Q'.charCodeAt(0)

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

/**
 * A way to a database on which one connection breaks with its first query.
 *
 * @param breaks Which one; the first is 1.
 */
async function layFaultyWay(url: string, { breaks }: { breaks: number }) {
  const { port } = new URL(url)
  let connections = 0
  const server = createServer((near) => {
    const isFaulty = ++connections === breaks
    const far = connect(Number(port), '127.0.0.1')
    for (const socket of [near, far]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (chunk) => {
      if (isFaulty && chunk[0] === QUERY) near.destroy()
    })
    near.pipe(far)
    far.pipe(near)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const way = new URL(url)
  way.hostname = '127.0.0.1'
  way.port = String((server.address() as AddressInfo).port)
  return { url: way.href, connections: () => connections }
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

test('an instance of one database is nobody in another', async () => {
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

test('a new connection that breaks before it holds the lock is replaced by one, which release() ends', async () => {
  const url = await createTestDatabase()
  const way = await layFaultyWay(url, { breaks: 2 })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const errors: Error[] = []
  const instance = await registerInstance(way.url, (error) => errors.push(error))
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())

  await endSessionOf(client, instance.id)
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1000)
  await expect.poll(() => isAlive(client, instance.id)).toBe(true)

  expect(errors).toHaveLength(2)
  expect(way.connections()).toBe(3)
  expect(vi.getTimerCount()).toBe(0)
  await instance.release()
  await expect.poll(() => isAlive(client, instance.id)).toBe(false)
  await client.end()
})

test('the living are counted by the work they do', async () => {
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
