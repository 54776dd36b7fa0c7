import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createEmptyDatabase } from './test-database.ts'

/**
 * Makes a database as the version before the first migration of today left it, killed in mid-answer: two accounts with
 * five holds, two users with five turns, three orders, and a card.
 *
 * @returns Its connection string.
 */
export async function createMadeDatabase(): Promise<string> {
  const url = await createEmptyDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // The dump clears the search path of the session it is read in.
  const made = await readFile(join(import.meta.dirname, 'made-before-init.sql'), 'utf8')
  await client.query(made).finally(() => client.end())
  return url
}
