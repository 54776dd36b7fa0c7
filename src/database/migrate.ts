import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import pg from 'pg'

const SCHEMA_DIR = join(import.meta.dirname, '../../prisma/schema')
const MIGRATIONS_DIR = join(import.meta.dirname, '../../prisma/migrations')

/** Held while migrating, so that of two processes that start at once one migrates and the other waits. */
const MIGRATION_LOCK = 0x6d6967

interface Migration {
  name: string
  sql: string
}

/**
 * Applies the migrations that the database does not have yet, in order.
 *
 * Keeps `_prisma_migrations`, the table of `prisma migrate deploy`: both work on one database.
 *
 * @returns Names of the migrations applied; none if the database was up to date.
 */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await readMigrations()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    const missing = await findMissing(client, migrations)
    if (missing.length > 0) await apply(url, migrations)
    return missing
  } finally {
    // Ending the session gives the lock back.
    await client.end()
  }
}

async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(MIGRATIONS_DIR, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return await Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(join(MIGRATIONS_DIR, name, 'migration.sql'), 'utf8'),
    })),
  )
}

/** @returns Path and text of each file of the schema, as the engine wants them. */
async function readSchema(): Promise<[path: string, text: string][]> {
  const names = (await readdir(SCHEMA_DIR)).filter((name) => name.endsWith('.prisma')).sort()
  return await Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      return [`prisma/schema/${name}`, await readFile(join(SCHEMA_DIR, name), 'utf8')]
    }),
  )
}

/** Compares with what is applied, so that an up-to-date start need not load the engine. */
async function findMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const table = await client.query(`SELECT to_regclass('public._prisma_migrations') AS name`)
  if (table.rows[0]?.name === null) return migrations.map(({ name }) => name)
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM public._prisma_migrations WHERE finished_at IS NOT NULL',
  )
  const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]))
  return migrations
    .filter(({ name, sql }) => applied.get(name) !== createHash('sha256').update(sql).digest('hex'))
    .map(({ name }) => name)
}

/** Runs Prisma's own schema engine, compiled to WASM: it needs no binary of the machine. */
async function apply(url: string, migrations: Migration[]): Promise<void> {
  const { SchemaEngine } = await import('@prisma/schema-engine-wasm')
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const scripts = wholeScripts(pool)
  const adapter = bindMigrationAwareSqlAdapterFactory(scripts.factory)
  const engine = await SchemaEngine.new({ datamodels: await readSchema() }, () => {}, adapter)
  try {
    await engine.applyMigrations({
      migrationsList: {
        baseDir: 'prisma/migrations',
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    })
  } catch (error) {
    // The engine only tells that a script failed; PostgreSQL told why.
    throw scripts.failure() ?? error
  } finally {
    engine.free()
    await pool.end()
  }
}

/**
 * Sends each migration as one script. The adapter itself cuts scripts at every semicolon, inside
 * function bodies too; PostgreSQL runs a whole one in a single transaction.
 */
function wholeScripts(pool: pg.Pool) {
  let failure: Error | undefined
  const factory = new PrismaPg(pool)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    adapter.executeScript = async (script) => {
      try {
        await pool.query(script)
      } catch (cause) {
        failure = new Error(`Cannot migrate: ${(cause as Error).message}`, { cause })
        throw cause
      }
    }
    return adapter
  }
  return { factory, failure: () => failure }
}
