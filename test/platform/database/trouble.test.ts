import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isDatabaseTrouble, isOutcomeUnknown } from '../../../src/platform/database/trouble.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { openTestDatabase, type TestDatabase } from './open-test-database.ts'
import { createTestDatabase } from './test-database.ts'

const WAYS = {
  pool: ({ pool }: TestDatabase, sql: string) => pool.query(sql),
  'Prisma Client': ({ prisma }: TestDatabase, sql: string) => prisma.$queryRawUnsafe(sql),
}

const REFUSALS = [
  { refuses: 'takes no connections', sql: ['ALTER DATABASE :name ALLOW_CONNECTIONS false'] },
  { refuses: 'takes no more connections', sql: ['ALTER DATABASE :name CONNECTION LIMIT 0'] },
  { refuses: 'lets a role in no more', sql: ['REVOKE CONNECT ON DATABASE :name FROM PUBLIC'] },
  { refuses: 'gave a role another password', sql: [`ALTER ROLE :role PASSWORD 'another'`] },
  { refuses: 'lets a role log in no more', sql: ['ALTER ROLE :role NOLOGIN'] },
  {
    refuses: 'only lets read',
    sql: ['ALTER DATABASE :name SET default_transaction_read_only = on'],
  },
]

const INSERT = 'INSERT INTO written VALUES (1)'

describe.each(Object.entries(WAYS))('by %s', (way, query) => {
  test(`a database that is not there is trouble, asked by ${way}`, async () => {
    const database = await open({ port: '1' })

    expect(isDatabaseTrouble(await errorOf(query(database, 'SELECT 1')))).toBe(true)
  })

  test(`a connection that the database ends is trouble, met by ${way}`, async () => {
    const database = await open()
    const ends = 'SELECT pg_terminate_backend(pg_backend_pid())'

    expect(isDatabaseTrouble(await errorOf(query(database, ends)))).toBe(true)
  })

  test.each(REFUSALS)(`a database that $refuses is trouble, met by ${way}`, async ({ sql }) => {
    const { url, owner } = await createRole()
    for (const each of sql) await owner.query(each)
    const database = await openAt(url)

    expect(isDatabaseTrouble(await errorOf(query(database, INSERT)))).toBe(true)
  })

  test(`a lock that another session keeps is trouble, met by ${way}`, async () => {
    const database = await open()
    const holder = await database.pool.connect()
    onTestFinished(() => holder.release(true))
    await holder.query('SELECT pg_advisory_lock(1)')
    const waits = `SELECT set_config('lock_timeout', '50ms', false), pg_advisory_lock(1)::text`

    expect(isDatabaseTrouble(await errorOf(query(database, waits)))).toBe(true)
  })

  test.each(['40P01', '40001'])(
    `a statement that another session undid (%s) is trouble, met by ${way}`,
    async (state) => {
      const database = await open()
      const undone = `DO $$ BEGIN RAISE EXCEPTION 'undone' USING ERRCODE = '${state}'; END $$`

      expect(isDatabaseTrouble(await errorOf(query(database, undone)))).toBe(true)
    },
  )

  test(`a mistake in a statement is no trouble, met by ${way}`, async () => {
    const database = await open()

    expect(isDatabaseTrouble(await errorOf(query(database, 'SELECT nothing')))).toBe(false)
  })
})

test('a session that a silent database does not begin is trouble, and nothing was done in it', async () => {
  const url = new URL(await createTestDatabase())
  const proxy = await openCuttableProxy(Number(url.port))
  onTestFinished(proxy.cut)
  url.port = String(proxy.port)
  proxy.hold()
  const session = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 50 })

  const error = await errorOf(session.connect())

  expect([isDatabaseTrouble(error), isOutcomeUnknown(error)]).toEqual([true, false])
})

test('a connection that the database ends while it stores a transaction of Prisma Client is trouble', async () => {
  const { pool, prisma } = await open()
  await pool.query(`
    CREATE TABLE committed (id int);
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON committed DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION end_session()`)

  const storing = prisma.$transaction((sql) => sql.$executeRaw`INSERT INTO committed VALUES (1)`)

  expect(isDatabaseTrouble(await errorOf(storing))).toBe(true)
})

async function createRole() {
  const url = new URL(await createTestDatabase())
  const name = url.pathname.slice(1)
  const role = `role_${name}`
  const admin = new pg.Client({ connectionString: new URL('/postgres', url).href })
  const inside = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await inside.connect()
  await inside.query(`CREATE ROLE ${role} LOGIN PASSWORD 'own'`)
  await inside.query(`CREATE TABLE written (n int); GRANT ALL ON written TO ${role}`)
  await inside.end()
  onTestFinished(async () => {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await admin.end()
    const last = new pg.Client({ connectionString: new URL(url).href })
    await last.connect()
    await last.query(`SET transaction_read_only = off; DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await last.end()
  })
  const owner = {
    query: (sql: string) => admin.query(sql.replace(':name', name).replace(':role', role)),
  }
  const own = new URL(url)
  own.username = role
  own.password = 'own'
  return { url: own.href, owner }
}

async function openAt(url: string): Promise<TestDatabase> {
  const database = openTestDatabase({ url, onIdleError: () => {} })
  onTestFinished(database.close)
  return database
}

async function open({ port }: { port?: string } = {}): Promise<TestDatabase> {
  const url = new URL(await createTestDatabase())
  if (port !== undefined) url.port = port
  return openAt(url.href)
}

async function errorOf(query: Promise<unknown>): Promise<unknown> {
  return query.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('a transaction that took longer than it may is trouble: its process froze, or another held its locks', async () => {
  const database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)

  const expired = database.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT pg_sleep(0.2)::text`
      await tx.$queryRaw`SELECT 1 AS one`
    },
    { timeout: 50 },
  )

  expect(await expired.catch(isDatabaseTrouble)).toBe(true)
})
