import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { applyMigrations } from '../../src/platform/database/migrate.ts'
import { runKopeck } from '../e2e/kopeck.ts'
import { GROWN, growDatabase, scaled } from '../growth/grow-database.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { installRelease, readThisVersion, runCommand } from './versions.ts'

const REFUSED = /was applied by another version of Kopeck; start that version/

/** Stands for this version's own where it has none that the release does not know. */
const LATER = { name: '99990101000000_later', sql: 'CREATE TABLE bot.later (id integer)' }

const TABLES = `
  SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
  WHERE table_schema IN ('bot', 'service', 'public') AND table_type = 'BASE TABLE' ORDER BY 1`

// Promise: An older version is started on the database of a newer one
test('the release before refuses the database of this version in one sentence, by each command that would write, and changes nothing', async () => {
  const [before, now] = await Promise.all([installRelease(), readThisVersion()])
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-refused-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  onTestFinished(() => database.close())
  await growDatabase(database, scaled(GROWN, 0.001))
  const known = new Set(before.migrations.map(({ name }) => name))
  const isNewer = now.migrations.some(({ name }) => !known.has(name))
  await applyMigrations(url, isNewer ? now.migrations : [...now.migrations, LATER])
  const kept = await digest(database.pool)
  const env = { DATABASE_URL: url, DATA_DIR: dataDir }

  const started = await runKopeck({ ...env, PORT: '0' }, ['service'], { command: before.command })
  const commands = await Promise.allSettled(
    [['migrate'], ['account', 'create', '--name', 'shop']].map((args) =>
      runCommand(before, args, { cwd: dataDir, env }),
    ),
  )

  expect(started).toEqual({ code: 1, output: expect.stringMatching(REFUSED) })
  const refused = { status: 'rejected', reason: { stderr: expect.stringMatching(REFUSED) } }
  expect(commands).toMatchObject([refused, refused])
  expect(await digest(database.pool)).toEqual(kept)
})

/** @returns A hash of all rows of each table. */
async function digest(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(TABLES)
  const hashes = tables.map(async ({ name }) => {
    const { rows } = await pool.query(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(md5(row::text), '' ORDER BY row::text)), '') AS hash
       FROM ${name} AS row`,
    )
    return [name, rows[0]?.hash]
  })
  return Object.fromEntries(await Promise.all(hashes))
}
