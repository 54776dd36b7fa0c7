import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedDatabase } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the migrated database that test databases are cloned from. */
    templateUrl: string
  }
}

/** Nothing of a test run outlives it, so the server need not wait for the disk. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

/** One PostgreSQL server a run, started before the first test file and gone after the last. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-test-'))
  const database = await startEmbeddedDatabase({ dataDir, settings: SETTINGS })
  const teardown = async () => {
    await database.stop()
    await rm(dataDir, { recursive: true })
  }
  try {
    await migrate(database.url)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('templateUrl', database.url)
  return teardown
}
