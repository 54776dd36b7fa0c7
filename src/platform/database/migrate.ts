/**
 * Applies the migrations of `prisma/migrations` that a database does not have.
 * One process migrates at a time; a migration is applied whole or not at all. A refused database stays untouched.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { MendableError } from '../mendable.ts'
import { checkServer } from './check-server.ts'
import { connectionOptions } from './database.ts'
import { DatabaseRefusedError, toDatabaseRefusal } from './database-refused.ts'

const MIGRATIONS_DIR = join(import.meta.dirname, '../../../prisma/migrations')
const MIGRATION_LOCK = 72_707_369
const TURN_WAIT_S = 120
/** Statements of other processes queue behind a migration that waits for their table. */
const TABLE_WAIT_MS = 5_000

const LOCK_NOT_AVAILABLE = '55P03'
const READ_ONLY = ['42501', '25006']

/** Kopeck 0.2 and older have a table with this name from Prisma, with more columns. */
const CREATE_TABLE_SQL = `
  CREATE TABLE public._prisma_migrations (
    migration_name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TIMESTAMPTZ DEFAULT now()
  )`

export interface Migration {
  name: string
  sql: string
}

class MigrationError extends MendableError {
  override readonly name = 'MigrationError'
  override readonly status: 1 | 2

  constructor(problem: string, { cause, status = 2 }: { cause?: unknown; status?: 1 | 2 } = {}) {
    super(`Cannot migrate the database: ${problem}`, { cause })
    this.status = status
  }
}

/** Returns the names of the migrations that it applied. The migrations before a failed one stay applied. */
export async function migrate(
  url: string,
  options: {
    migrations?: readonly Migration[]
    /** Called under the lock, before anything is changed. An error ends the attempt. */
    judge?: (client: pg.Client) => Promise<void>
    tableWaitMs?: number
  } = {},
): Promise<string[]> {
  const { migrations = await readMigrations(), tableWaitMs = TABLE_WAIT_MS } = options
  const client = await connect(url)
  try {
    await checkServer(client, url)
    await client.query(`SET lock_timeout = '${TURN_WAIT_S}s'`)
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    const applied = await readApplied(client)
    for (const { name, checksum } of applied ?? []) refuseDifference(name, checksum, migrations)
    await options.judge?.(client)
    if (applied === undefined) await client.query(CREATE_TABLE_SQL)
    await client.query(`SET lock_timeout = ${tableWaitMs}`)
    const names = new Set(applied?.map(({ name }) => name))
    const missing = migrations.filter(({ name }) => !names.has(name))
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  } catch (error) {
    throw explain(error)
  } finally {
    // That releases the lock and rolls back an open transaction.
    await client.end()
  }
}

async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(MIGRATIONS_DIR, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const read = (name: string) => readFile(join(MIGRATIONS_DIR, name, 'migration.sql'), 'utf8')
  return await Promise.all(names.sort().map(async (name) => ({ name, sql: await read(name) })))
}

async function connect(url: string): Promise<pg.Client> {
  try {
    // It reads the files that the URL names.
    const client = new pg.Client(connectionOptions(url, 'migrate'))
    // A statement on a connection that breaks fails with the same error.
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw toDatabaseRefusal(error, url)
  }
}

function explain(error: unknown): unknown {
  if (READ_ONLY.includes(codeOf(error))) {
    const problem = `DATABASE_URL: its user may make no tables there (${(error as Error).message}); let it own the database`
    return new DatabaseRefusedError(problem, { cause: error })
  }
  if (codeOf(error) !== LOCK_NOT_AVAILABLE) return error
  const problem = `another session has kept the migration lock for ${TURN_WAIT_S} s; end that session, which pg_locks lists with locktype "advisory"`
  return new MigrationError(problem, { cause: error })
}

async function readApplied(client: pg.Client) {
  const { rows: found } = await client.query(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS "isThere"`,
  )
  if (!found[0].isThere) return undefined
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT migration_name AS name, checksum FROM public._prisma_migrations ORDER BY name',
  )
  return rows
}

function refuseDifference(name: string, checksum: string, migrations: readonly Migration[]): void {
  // Version 0.3.0 began with one new migration: all names of 0.2 and older sort before it.
  if (name < (migrations[0]?.name ?? '')) {
    const problem =
      'Kopeck 0.2 or older made it, and this version cannot upgrade it; set another DATA_DIR or DATABASE_URL'
    // No setting is wrong: the database itself is too old.
    throw new MigrationError(problem, { status: 1 })
  }
  const known = migrations.find((migration) => migration.name === name)
  if (known !== undefined && checksumOf(known) === checksum) return
  const problem =
    known === undefined
      ? 'was applied by another version of Kopeck; start that version'
      : 'has been edited after it was applied; restore the file'
  throw new MigrationError(`"${name}" ${problem}`)
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const { name, sql } = migration
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      'INSERT INTO public._prisma_migrations (migration_name, checksum) VALUES ($1, $2)',
      [name, checksumOf(migration)],
    )
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {})
    const reason =
      codeOf(cause) === LOCK_NOT_AVAILABLE
        ? 'another session keeps a table locked that it changes; end that session, or start again later'
        : `${(cause as Error).message}; it changed nothing: start again when the cause is fixed`
    throw new MigrationError(`"${name}" failed: ${reason}`, { cause })
  }
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}

function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}
