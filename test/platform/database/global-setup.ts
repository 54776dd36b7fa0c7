import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedDatabase } from '../../../src/platform/database/embedded.ts'
import { migrate } from '../../../src/platform/database/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    templateUrl: string
  }
}

/** Nothing of a test run outlives it, so the server need not wait for the disk, nor keep itself in order. */
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
]

/** Linux has it, and a container often only 64 MB of it. */
const MEMORY_FOLDER = '/dev/shm'
/** A test database is 8 MB; every worker has those of one file, and a file at most 40. */
const FREE_BYTES_MIN = 3 * 1024 ** 3

/** One PostgreSQL server a run, started before the first test file and gone after the last. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(await chooseFolder(), 'kopeck-test-'))
  const database = await startEmbeddedDatabase({ dataDir, settings: SETTINGS })
  const teardown = async () => {
    await database.stop()
    await rm(dataDir, { recursive: true })
  }
  try {
    await migrate(database.url)
    await makeSignInCheap(database.url, dataDir)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('templateUrl', database.url)
  return teardown
}

/** Clones are files, hundreds of them a database: in memory they cost a fifth, and the disk is left alone. */
async function chooseFolder(): Promise<string> {
  const free = await statfs(MEMORY_FOLDER).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return free < FREE_BYTES_MIN ? tmpdir() : MEMORY_FOLDER
}

/** Thousands of connections are opened in a run, and on both sides each would hash the password 4,096 times. */
async function makeSignInCheap(url: string, dataDir: string): Promise<void> {
  const { username, password } = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const text = client.escapeLiteral(decodeURIComponent(password))
    await client.query(`SET scram_iterations = 1; ALTER ROLE ${username} PASSWORD ${text}`)
    await writeFile(join(dataDir, 'postgres/pg_hba.conf'), 'host all all 127.0.0.1/32 password\n')
    await client.query('SELECT pg_reload_conf()')
  } finally {
    await client.end()
  }
}
