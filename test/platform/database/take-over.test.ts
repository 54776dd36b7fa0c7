import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { createMadeDatabase } from './made-before-init.ts'
import { createTestDatabase } from './test-database.ts'

/** Reads the parts of a database, in the words of its catalogs. */
const CATALOGS_SQL = `
  SELECT concat_ws(' ', table_schema, table_name, column_name, data_type, datetime_precision, is_nullable,
                   column_default) AS line
    FROM information_schema.columns WHERE table_schema IN ('bot', 'service', 'public')
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('bot', 'service', 'public')
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE conrelid <> 0 AND connamespace::regnamespace::text IN ('bot', 'service', 'public')
  UNION ALL SELECT concat_ws(' ', tgrelid::regclass, pg_get_triggerdef(oid, true))
    FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace::regnamespace::text IN ('bot', 'service')
  UNION ALL SELECT pg_get_viewdef('service.ledger_fault'::regclass)
  UNION ALL SELECT concat_ws(' ', enumtypid::regtype, enumsortorder, enumlabel) FROM pg_enum
  UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, attstorage) FROM pg_attribute
    WHERE attrelid::regclass::text IN ('bot.picture') AND attnum > 0
  ORDER BY line`

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function openMade() {
  const url = await createMadeDatabase()
  return { url, client: await connect(url) }
}

async function catalogsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(CATALOGS_SQL)
  return rows.map(({ line }) => line)
}

/** Every row of every table but that of the migrations. */
async function rowsOf(client: pg.Client): Promise<Record<string, unknown>> {
  const { rows: tables } = await client.query<{ name: string }>(`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname IN ('bot', 'service', 'public') AND tablename <> '_prisma_migrations'`)
  const all: Record<string, unknown> = {}
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT to_jsonb(t) AS row FROM ${name} t ORDER BY 1`)
    all[name] = rows
  }
  return all
}

// Promise: The database was made by the version before, whose migrations were 89
test('a database of the version before is taken over with every row, and is what a new one is', async () => {
  const { url, client } = await openMade()
  const before = await rowsOf(client)
  expect(before['service.hold']).toHaveLength(5)

  // It has all of the first migration; what came after that is applied, and may add columns.
  expect(await migrate(url)).not.toContain('20261124000000_init')

  expect(await rowsOf(client)).toMatchObject(before)
  const fresh = await connect(await createTestDatabase())
  expect(await catalogsOf(client)).toEqual(await catalogsOf(fresh))
  const names = 'SELECT migration_name, checksum FROM _prisma_migrations'
  expect((await client.query(names)).rows).toEqual((await fresh.query(names)).rows)
  expect(await migrate(url)).toEqual([])
})

test('a database that lacks a migration of the version before is refused by name, and nothing is touched', async () => {
  const { url, client } = await openMade()
  await client.query(`
    DELETE FROM _prisma_migrations WHERE migration_name = '20261122140506_known_causes'`)

  await expect(migrate(url)).rejects.toThrow(
    'Cannot migrate the database: "20261121000000_spine" was applied by another version of Kopeck; start that version',
  )

  const { rows } = await client.query('SELECT count(*)::int AS count FROM _prisma_migrations')
  expect(rows).toEqual([{ count: 88 }])
})
