import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { MendableError } from '../mendable.ts'
import { connectionOptions } from './database.ts'
import { checkServer } from './server/check-server.ts'
import { DatabaseRefusedError, toDatabaseRefusal } from './server/database-refused.ts'

const MIGRATIONS_DIR = join(import.meta.dirname, '../../../prisma/migrations')

/** The lock that `prisma migrate deploy` takes too: of two that start at once one migrates and the other waits. */
const MIGRATION_LOCK = 72_707_369

const READ_ONLY = new Set(['42501', '25006'])
const LOCK_NOT_AVAILABLE = '55P03'

const TURN_WAIT_MS = 120_000
/** Statements of other processes queue behind a migration that waits for their table. */
const TABLE_WAIT_MS = 5_000

/** The table of `prisma migrate deploy`, as it makes it itself. */
const CREATE_TABLE_SQL = `
  CREATE TABLE public._prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`

/** One folder of `prisma/migrations`. */
export interface Migration {
  name: string
  sql: string
}

class MigrationError extends MendableError {
  override readonly name = 'MigrationError'

  constructor(problem: string, options?: ErrorOptions) {
    super(`Cannot migrate the database: ${problem}`, options)
  }
}

class OldDatabaseError extends MigrationError {
  /** No setting is wrong: the database itself is too old. */
  override readonly status = 1
}

export interface MigrateOptions {
  /** Called before anything is changed, under the lock; what it throws ends the attempt. */
  judge?: (client: pg.Client) => Promise<void>
  turnWaitMs?: number
  tableWaitMs?: number
}

/**
 * Applies the migrations in `prisma/migrations` that the database does not have yet.
 *
 * @see applyMigrations
 */
export async function migrate(url: string, options?: MigrateOptions): Promise<string[]> {
  return await applyMigrations(url, await readMigrations(), options)
}

/**
 * Applies the migrations that the database does not have yet, in the given order, each whole or not
 * at all. Repeating it, or `prisma migrate deploy` on the same database, does nothing more.
 *
 * @returns Names of the migrations applied; none if the database was up to date.
 * @throws {DatabaseRefusedError} If the server lets nobody in, or is none for Kopeck. Nothing is touched there.
 * @throws {MigrationError} If an applied migration has been edited or is not among the given ones
 *   (nothing is changed), if one fails (those before it stay applied), or if another session keeps a
 *   lock.
 */
export async function applyMigrations(
  url: string,
  migrations: readonly Migration[],
  { judge, turnWaitMs = TURN_WAIT_MS, tableWaitMs = TABLE_WAIT_MS }: MigrateOptions = {},
): Promise<string[]> {
  const client = await connect(url)
  try {
    await checkServer(client, url)
    await takeTurn(client, turnWaitMs)
    const known = new Map(migrations.map((migration) => [migration.name, checksumOf(migration)]))
    const hasTable = await hasMigrationsTable(client)
    const applied = hasTable ? await readApplied(client) : new Map<string, string>()
    refuseDifferences(applied, known)
    await judge?.(client)
    if (!hasTable) await createTable(client)
    await client.query(`SET lock_timeout = ${tableWaitMs}`)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  } finally {
    // Ending the session releases the lock and rolls back an open transaction.
    await client.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  try {
    // It reads the files that the URL names.
    const client = new pg.Client(connectionOptions(url, 'migrate'))
    // The statement that runs when the connection breaks fails with the same error.
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw toDatabaseRefusal(error, url)
  }
}

async function takeTurn(client: pg.Client, waitMs: number): Promise<void> {
  try {
    await client.query(`SET lock_timeout = ${waitMs}`)
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
  } catch (cause) {
    if (!isLockTimeout(cause)) throw cause
    throw new MigrationError(
      `another session has kept the migration lock for ${waitMs / 1000} s; end that session, which pg_locks lists with locktype "advisory"`,
      { cause },
    )
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
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

async function hasMigrationsTable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass('public._prisma_migrations') AS name`)
  return rows[0].name !== null
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM public._prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

async function createTable(client: pg.Client): Promise<void> {
  try {
    await client.query(CREATE_TABLE_SQL)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && READ_ONLY.has(error.code ?? ''))) throw error
    throw new DatabaseRefusedError(
      `DATABASE_URL: its user may make no tables there (${error.message}); let it own the database`,
      { cause: error },
    )
  }
}

function refuseDifferences(
  applied: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): void {
  const [first = ''] = known.keys()
  for (const [name, checksum] of applied) {
    // Version 0.3.0 began with one new migration: all names of 0.2 and older sort before it.
    if (name < first) {
      throw new OldDatabaseError(
        'Kopeck 0.2 or older made it, and this version cannot upgrade it; set another DATA_DIR or DATABASE_URL',
      )
    }
    if (!known.has(name)) {
      throw new MigrationError(
        `"${name}" was applied by another version of Kopeck; start that version`,
      )
    }
    if (known.get(name) !== checksum) {
      throw new MigrationError(`"${name}" has been edited after it was applied; restore the file`)
    }
  }
}

/** @throws {MigrationError} If it fails; the database is as it was before it. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const { name, sql } = migration
  try {
    await client.query('BEGIN')
    await client.query(sql)
    // Prisma refuses to go on while it sees one that it began and did not end; that left nothing.
    await client.query(
      `UPDATE public._prisma_migrations SET rolled_back_at = now()
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [name],
    )
    await client.query(
      `INSERT INTO public._prisma_migrations
         (id, migration_name, checksum, finished_at, applied_steps_count)
       VALUES (gen_random_uuid(), $1, $2, clock_timestamp(), 1)`,
      [name, checksumOf(migration)],
    )
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {})
    const reason = isLockTimeout(cause)
      ? 'another session keeps a table locked that it changes; end that session, or start again later'
      : (cause as Error).message
    throw new MigrationError(`"${name}" failed: ${reason}`, { cause })
  }
}

function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}
