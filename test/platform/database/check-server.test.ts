import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { checkServer } from '../../../src/platform/database/check-server.ts'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { PGBOUNCER, startPgbouncer } from './pgbouncer.ts'
import { createEmptyDatabase } from './test-database.ts'

const REFUSED_POOLER =
  'Cannot use the database: a pooler in transaction or statement mode is before it; connect directly, or through a pooler in session mode'

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function tables(url: string): Promise<number> {
  const client = await connect(url)
  return (await client.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`)).rows.length
}

async function connectTo(server: { major: number; version: string; isStandby: boolean }) {
  const client = await connect(await createEmptyDatabase())
  const query = async () => ({ rows: [server] })
  return Object.assign(Object.create(client), { query }) as pg.Client
}

// Promise: PostgreSQL is older than 15, or a standby
test.each([
  [
    'older than what the statements need',
    { major: 14, version: '14.20', isStandby: false },
    'Cannot use the database: PostgreSQL 15 or newer is needed, and the server is 14.20',
  ],
  [
    'a standby',
    { major: 18, version: '18.4', isStandby: true },
    'Cannot use the database: the server is a standby, which only lets read; DATABASE_URL should lead to the primary',
  ],
])('a server that is %s is refused in one sentence', async (_what, server, sentence) => {
  await expect(checkServer(await connectTo(server), 'postgresql://nowhere')).rejects.toThrow(
    sentence,
  )
})

test.each([
  ['role', (name: string) => `ALTER ROLE "${name}" CONNECTION LIMIT 6`, /the role \w+ may have 6/],
  [
    'database',
    (name: string) => `ALTER DATABASE "${name}" CONNECTION LIMIT 7`,
    /the database \w+ may have 7/,
  ],
])('a %s with too few connections is refused with the numbers', async (_what, limit, words) => {
  const url = new URL(await createEmptyDatabase())
  const name = url.pathname.slice(1)
  const admin = await connect(url.href)
  await admin.query(`CREATE ROLE "${name}" LOGIN PASSWORD 'secret'`)
  await admin.query(`ALTER DATABASE "${name}" OWNER TO "${name}"`)
  await admin.query(limit(name))
  Object.assign(url, { username: name, password: 'secret' })

  await expect(migrate(url.href)).rejects.toThrow(words)
  await expect(migrate(url.href)).rejects.toThrow(/needs 9 connections.*CONNECTION LIMIT 9 or more/)
  await admin.query(limit(name).replace(/\d+$/, '9'))
  await expect(migrate(url.href)).resolves.not.toEqual([])
})

// Promise: A pooler in transaction or statement mode is before the database
test.runIf(PGBOUNCER).each(['transaction', 'statement'] as const)(
  'a pooler in %s mode is refused in one sentence, and nothing is migrated or stays locked',
  async (mode) => {
    const direct = await createEmptyDatabase()
    const pooled = await startPgbouncer(direct, mode)

    await expect(migrate(pooled)).rejects.toThrow(REFUSED_POOLER)

    expect(await tables(direct)).toBe(0)
    const client = await connect(direct)
    const locks = await client.query(
      `SELECT FROM pg_locks JOIN pg_database ON oid = database
       WHERE locktype = 'advisory' AND datname = current_database()`,
    )
    expect(locks.rows).toEqual([])
  },
)

test.runIf(PGBOUNCER)('a pooler in session mode is as good as none', async () => {
  const direct = await createEmptyDatabase()
  const pooled = await startPgbouncer(direct, 'session')

  const applied = await migrate(pooled)

  expect(applied.length).toBeGreaterThan(0)
  expect(await migrate(direct)).toEqual([])
})
