import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { createEmptyDatabase, createTestDatabase } from './test-database.ts'

const SCHEMA_DIR = join(import.meta.dirname, '../../prisma/schema')

test('migrate() by two processes at once: one applies, the other waits and finds nothing to do', async () => {
  const url = await createEmptyDatabase()

  const applied = await Promise.all([migrate(url), migrate(url)])

  const [none, all] = applied.sort((a, b) => a.length - b.length)
  expect(none).toEqual([])
  expect(all?.length).toBeGreaterThan(0)
})

test('migrate() does nothing on a database that is up to date', async () => {
  const url = await createEmptyDatabase()
  await migrate(url)

  expect(await migrate(url)).toEqual([])
})

test('a migration that fails in the middle leaves nothing of itself', async () => {
  const url = await createEmptyDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // A function near the end of the first migration will not find its place.
  await client.query(`CREATE SCHEMA service;
    CREATE FUNCTION service.refuse_entry_change() RETURNS int LANGUAGE sql AS 'SELECT 1'`)

  await expect(migrate(url)).rejects.toThrow('refuse_entry_change')

  const { rows } = await client.query(`SELECT to_regclass('service.account') AS account`)
  await client.end()
  expect(rows).toEqual([{ account: null }])
})

/**
 * What the Prisma client relies on: columns, enums, indexes and foreign keys, as text. Partial
 * indexes are kept by hand: Prisma's schema language cannot say them.
 */
async function describe(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ line: string }>(`
      SELECT concat_ws(' ', table_schema, table_name, column_name, udt_schema, udt_name,
                       datetime_precision, is_nullable, column_default) AS line
        FROM information_schema.columns
        WHERE table_schema IN ('bot', 'service') AND table_name <> 'ledger_fault'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('bot', 'service')
        AND indexdef NOT LIKE '% WHERE %'
      UNION ALL SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE contype = 'f' AND connamespace::regnamespace::text IN ('bot', 'service')
      UNION ALL SELECT concat_ws(' ', enumtypid::regtype, enumsortorder, enumlabel)
        FROM pg_enum
      ORDER BY line`)
    return rows.map(({ line }) => line)
  } finally {
    await client.end()
  }
}

test('the migrations make exactly the schema that the Prisma client is generated from', async () => {
  const [migrated, wanted] = await Promise.all([createTestDatabase(), createEmptyDatabase()])
  const client = new pg.Client({ connectionString: wanted })
  await client.connect()
  await client.query(await schemaScript(wanted))
  await client.end()

  expect(await describe(migrated)).toEqual(await describe(wanted))
})

/** The SQL that makes the schema folder's tables from nothing. */
async function schemaScript(url: string): Promise<string> {
  const names = await readdir(SCHEMA_DIR)
  const files = await Promise.all(
    names.map(async (name) => ({
      path: `prisma/schema/${name}`,
      content: await readFile(join(SCHEMA_DIR, name), 'utf8'),
    })),
  )
  const datamodels = files.map(({ path, content }): [string, string] => [path, content])
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: url }))
  const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter)
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    })
    return stdout ?? ''
  } finally {
    engine.free()
  }
}
