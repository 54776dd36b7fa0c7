import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { applyMigrations } from '../../../src/platform/database/migrate.ts'
import { openTestDatabase, type TestDatabase } from './open-test-database.ts'
import { createEmptyDatabase } from './test-database.ts'

const MIGRATIONS_DIR = join(import.meta.dirname, '../../../prisma/migrations')

/**
 * A database as it was before a migration.
 *
 * @param before The migration's folder.
 */
export async function openOldDatabase({
  before,
}: {
  before: string
}): Promise<TestDatabase & { url: string }> {
  const url = await createEmptyDatabase()
  const names = (await readdir(MIGRATIONS_DIR)).filter((name) => /^\d/.test(name) && name < before)
  const migrations = await Promise.all(
    names.sort().map(async (name) => {
      return { name, sql: await readFile(join(MIGRATIONS_DIR, name, 'migration.sql'), 'utf8') }
    }),
  )
  await applyMigrations(url, migrations)
  const database = openTestDatabase({ url })
  onTestFinished(database.close)
  return { url, ...database }
}
