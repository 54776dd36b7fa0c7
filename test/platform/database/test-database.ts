import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

let admin: pg.Pool | undefined

/** The databases of the file that runs, which end with it: together those of a run would be gigabytes. */
const made: string[] = []

/**
 * Makes a database of its own for one test file, cloned from the migrated template.
 *
 * @returns Its connection string; the database goes away after the file, the server after the run.
 */
export function createTestDatabase(): Promise<string> {
  return createDatabase(new URL(inject('templateUrl')).pathname.slice(1))
}

/** Makes a database with nothing in it, as a first start finds it. */
export function createEmptyDatabase(): Promise<string> {
  return createDatabase('template0')
}

async function createDatabase(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  made.push(name)
  // Copying the files costs half of what the default does, which writes each page to the log.
  await onServer([`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`])
  const url = new URL(inject('templateUrl'))
  url.pathname = `/${name}`
  return url.href
}

/** Drops the databases that were made since the last call. Vitest calls it after each file (drop-databases.ts). */
export async function dropTestDatabases(): Promise<void> {
  const names = made.splice(0)
  if (names.length > 0) await onServer(names.map((name) => `DROP DATABASE ${name}`))
}

async function onServer(statements: readonly string[]): Promise<void> {
  admin ??= connectOnce()
  for (const statement of statements) await admin.query(statement)
}

/** One connection makes and drops all databases of a worker, and does not keep it from ending. */
function connectOnce(): pg.Pool {
  const url = new URL(inject('templateUrl'))
  url.pathname = '/postgres'
  const pool = new pg.Pool({ connectionString: url.href, max: 1, allowExitOnIdle: true })
  // The server ends before it.
  return pool.on('error', () => {})
}
