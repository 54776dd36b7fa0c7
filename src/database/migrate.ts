import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

const MIGRATIONS_DIR = join(import.meta.dirname, '../../prisma/migrations')

/** Held while migrating, so that of two processes that start at once one migrates and the other waits. */
const MIGRATION_LOCK = 0x6d6967

/** One folder of `prisma/migrations`. */
export interface Migration {
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
    if (missing.length > 0) {
      const { applyMigrations } = await import('./schema-engine.ts')
      await applyMigrations(url, migrations)
    }
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
