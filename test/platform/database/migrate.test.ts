import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Migration, migrate } from '../../../src/platform/database/migrate.ts'
import { schemaScript } from './schema-engine.ts'
import { createEmptyDatabase, createTestDatabase } from './test-database.ts'

const PEOPLE: Migration = { name: '1_people', sql: 'CREATE TABLE people (id INT); SELECT 1' }
const BOOKS: Migration = { name: '2_books', sql: 'CREATE TABLE books (id INT)' }

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function tables(url: string): Promise<string[]> {
  const client = await connect(url)
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY name`,
  )
  return rows.map(({ name }) => name).filter((name) => name !== '_prisma_migrations')
}

test('migrate() by two processes at once: one applies, the other waits and finds nothing to do', async () => {
  const url = await createEmptyDatabase()

  const applied = await Promise.all([migrate(url), migrate(url)])

  const [none, all] = applied.sort((a, b) => a.length - b.length)
  expect(none).toEqual([])
  expect(all?.length).toBeGreaterThan(0)
})

test('a server that takes the connection and says nothing is waited for no longer than ten seconds', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())

  const connected = once(server, 'connection')
  const migrated = expect(
    migrate(`postgresql://kopeck@127.0.0.1:${(server.address() as AddressInfo).port}/kopeck`),
  ).rejects.toThrow(
    /^Cannot use the database: DATABASE_URL: cannot connect to 127\.0\.0\.1:\d+: timeout expired$/,
  )
  await connected
  vi.advanceTimersByTime(10_000)

  await migrated
})

test('migrate() applies what the database does not have yet, in order', async () => {
  const url = await createEmptyDatabase()
  await migrate(url, { migrations: [PEOPLE] })
  const readers = { name: '3_readers', sql: 'CREATE TABLE readers AS SELECT * FROM books' }

  expect(await migrate(url, { migrations: [PEOPLE, BOOKS, readers] })).toEqual([
    '2_books',
    '3_readers',
  ])

  expect(await tables(url)).toEqual(['books', 'people', 'readers'])
})

test('a migration that fails in the middle leaves nothing of itself, and the error names it and the reason', async () => {
  const url = await createEmptyDatabase()
  const broken = { name: '2_broken', sql: 'CREATE TABLE half (id INT); SELECT no_such_function()' }

  await expect(migrate(url, { migrations: [PEOPLE, broken, BOOKS] })).rejects.toThrow(
    'Cannot migrate the database: "2_broken" failed: function no_such_function() does not exist; it changed nothing: start again when the cause is fixed',
  )

  expect(await tables(url)).toEqual(['people'])
  expect(await migrate(url, { migrations: [PEOPLE, { ...broken, sql: BOOKS.sql }] })).toEqual([
    '2_broken',
  ])
})

test('a migration that was edited after it was applied is refused by name, and nothing is applied', async () => {
  const url = await createEmptyDatabase()
  await migrate(url, { migrations: [PEOPLE] })
  const edited = { ...PEOPLE, sql: `${PEOPLE.sql} -- edited` }

  await expect(migrate(url, { migrations: [edited, BOOKS] })).rejects.toThrow(
    'Cannot migrate the database: "1_people" has been edited after it was applied; restore the file',
  )

  expect(await tables(url)).toEqual(['people'])
})

test('a database that a newer version has migrated is refused, with the migration that is not known', async () => {
  const url = await createEmptyDatabase()
  await migrate(url, { migrations: [PEOPLE, BOOKS] })

  await expect(migrate(url, { migrations: [PEOPLE] })).rejects.toThrow(
    'Cannot migrate the database: "2_books" was applied by another version of Kopeck; start that version',
  )
})

test('a database of Kopeck 0.2 or older is refused in one sentence, with all its tables and rows untouched', async () => {
  const url = await createEmptyDatabase()
  const older = ['20261124000000_init', '20261128215000_entry_of_task']
  await migrate(url, {
    migrations: older.map((name) => ({ name, sql: `CREATE TABLE "${name}" AS SELECT 1 AS id` })),
  })
  const before = await dump(url)

  await expect(migrate(url)).rejects.toMatchObject({
    message:
      'Cannot migrate the database: Kopeck 0.2 or older made it, and this version cannot upgrade it; set another DATA_DIR or DATABASE_URL',
    status: 1,
  })

  expect(await dump(url)).toEqual(before)
})

async function dump(url: string): Promise<unknown[]> {
  const client = await connect(url)
  const { rows: catalogue } = await client.query(`
    SELECT relnamespace::regnamespace::text, relname, relkind, attname, format_type(atttypid, atttypmod)
    FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
    ORDER BY pg_class.oid, attnum`)
  const names = [...(await tables(url)), '_prisma_migrations']
  const rows = names.map((name) => `SELECT to_jsonb(t) AS row FROM "${name}" AS t`)
  return [catalogue, (await client.query(rows.join(' UNION ALL '))).rows]
}

test('a migration of a table that another session keeps locked fails soon and leaves nothing, and can be repeated', async () => {
  const url = await createEmptyDatabase()
  await migrate(url, { migrations: [PEOPLE] })
  const writer = await connect(url)
  await writer.query('BEGIN; INSERT INTO people VALUES (1)')
  const change = {
    name: '2_change',
    sql: `${BOOKS.sql}; ALTER TABLE people ADD COLUMN age INT`,
  }

  await expect(migrate(url, { migrations: [PEOPLE, change], tableWaitMs: 100 })).rejects.toThrow(
    'Cannot migrate the database: "2_change" failed: another session keeps a table locked',
  )

  expect(await tables(url)).toEqual(['people'])
  await writer.query('COMMIT')
  expect(await migrate(url, { migrations: [PEOPLE, change] })).toEqual(['2_change'])
})

/**
 * Describes what the Prisma client relies on: columns, enums, indexes and foreign keys, as text. Partial indexes, those
 * of expressions and of an order of nulls are kept by hand: Prisma's schema language cannot say them.
 */
async function describe(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ line: string }>(`
      SELECT concat_ws(' ', table_schema, table_name, column_name, udt_schema, udt_name,
                       datetime_precision, is_nullable, column_default) AS line
        FROM information_schema.columns
        WHERE table_schema = 'bot'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'bot'
        AND indexdef NOT LIKE '% WHERE %' AND indexdef NOT LIKE '% NULLS %'
        AND indexdef NOT LIKE '%(lower(%'
      UNION ALL SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE contype = 'f' AND connamespace::regnamespace::text = 'bot'
      UNION ALL SELECT concat_ws(' ', enumtypid::regtype, enumsortorder, enumlabel)
        FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid
        WHERE typnamespace::regnamespace::text = 'bot'
      ORDER BY line`)
    return rows.map(({ line }) => line)
  } finally {
    await client.end()
  }
}

test('the migrations make exactly the tables of the bot that the Prisma client is generated from', async () => {
  const [migrated, wanted] = await Promise.all([createTestDatabase(), createEmptyDatabase()])
  const client = new pg.Client({ connectionString: wanted })
  await client.connect()
  await client.query(await schemaScript(wanted))
  await client.end()

  expect(await describe(migrated)).toEqual(await describe(wanted))
})
