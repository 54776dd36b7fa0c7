import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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
  ['ROLE', 6],
  ['DATABASE', 7],
])('a %s with too few connections is refused with the numbers', async (whose, count) => {
  const url = new URL(await createEmptyDatabase())
  const name = url.pathname.slice(1)
  const admin = await connect(url.href)
  await admin.query(`CREATE ROLE "${name}" LOGIN PASSWORD 'secret'`)
  await admin.query(`ALTER DATABASE "${name}" OWNER TO "${name}"`)
  await admin.query(`ALTER ${whose} "${name}" CONNECTION LIMIT ${count}`)
  Object.assign(url, { username: name, password: 'secret' })

  await expect(migrate(url.href)).rejects.toThrow(
    `Cannot use the database: a process needs 9 connections and may have ${count}: ALTER ${whose} ${name} CONNECTION LIMIT 9`,
  )
  await admin.query(`ALTER ${whose} "${name}" CONNECTION LIMIT 9`)
  await expect(migrate(url.href)).resolves.not.toEqual([])
})

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

const BLOCKER = createServer((socket) => socket.destroy())
beforeAll(() => once(BLOCKER.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => void BLOCKER.close())

test.each<[string, () => Partial<URL>, string]>([
  [
    'a wrong password',
    () => ({ password: 'hunter2' }),
    'the server at HOST answers: password authentication failed for user "kopeck"',
  ],
  [
    'a database that is not there',
    () => ({ pathname: '/nowhere' }),
    'the server at HOST answers: database "nowhere" does not exist',
  ],
  [
    'a port of another program',
    () => ({ port: String((BLOCKER.address() as AddressInfo).port) }),
    'cannot connect to HOST: Connection terminated unexpectedly',
  ],
  [
    'a port where nobody listens',
    () => ({ port: '1' }),
    'cannot connect to HOST: connect ECONNREFUSED 127.0.0.1:1',
  ],
  [
    'a host that is not there',
    () => ({ hostname: 'db..lan' }),
    'cannot connect to HOST: getaddrinfo ENOTFOUND db..lan',
  ],
  [
    'TLS if there is none',
    () => ({ search: '?sslmode=verify-full' }),
    'cannot connect to HOST: The server does not support SSL connections',
  ],
])(
  'DATABASE_URL with %s is refused in one sentence without its password',
  async (_, change, words) => {
    const url = Object.assign(new URL(await createEmptyDatabase()), change())

    const problem = await migrate(url.href).catch((error: Error) => error.message)
    expect(problem).toBe(
      `Cannot use the database: DATABASE_URL: ${words.replace('HOST', url.host)}`,
    )
  },
)

test('a user who may make no tables is refused in one sentence', async () => {
  const url = new URL(await createEmptyDatabase())
  const name = `${url.pathname.slice(1)}_reader`
  const admin = await connect(url.href)
  await admin.query(`CREATE ROLE "${name}" LOGIN PASSWORD 'p'`)
  Object.assign(url, { username: name, password: 'p' })

  await expect(migrate(url.href)).rejects.toThrow(
    'DATABASE_URL: its user may make no tables there (permission denied for schema public); let it own the database',
  )
  await admin.query(`DROP ROLE "${name}"`)
})
