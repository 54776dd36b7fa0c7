import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/**
 * Makes a database of its own for one test file, cloned from the migrated template.
 *
 * @returns Its connection string; the server and all of it go away after the run.
 */
export function createTestDatabase(): Promise<string> {
  return createDatabase(new URL(inject('templateUrl')).pathname.slice(1))
}

/** Makes a database with nothing in it, as a first start finds it. */
export function createEmptyDatabase(): Promise<string> {
  return createDatabase('template0')
}

async function createDatabase(template: string): Promise<string> {
  const url = new URL(inject('templateUrl'))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  } finally {
    await client.end()
  }
  url.pathname = `/${name}`
  return url.href
}
