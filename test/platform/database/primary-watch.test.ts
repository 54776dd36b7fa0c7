import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../../src/platform/database/instance/session.ts'
import {
  createPrimaryWatch,
  NotPrimaryError,
  type PrimaryWatch,
} from '../../../src/platform/database/primary-watch.ts'
import { isDatabaseTrouble, isOutcomeUnknown } from '../../../src/platform/database/trouble.ts'
import { type PostgresServer, startPostgresServer } from '../../slow/chaos/postgres-server.ts'
import { openTestDatabase } from './open-test-database.ts'

let before: PostgresServer
let after: PostgresServer

beforeAll(async () => {
  const folders = await Promise.all(
    ['before', 'after'].map((name) => mkdtemp(join(tmpdir(), `kopeck-${name}-`))),
  )
  const [folder = '', standby = ''] = folders
  before = await startPostgresServer(folder)
  await before.stop()
  after = await startPostgresServer(standby, { standbyOf: folder })
  await before.start()
  return async () => {
    for (const server of [before, after]) await server.stop()
    for (const each of folders) await rm(each, { recursive: true })
  }
})

function open(server: PostgresServer, primary?: PrimaryWatch) {
  const database = openTestDatabase({ url: server.url, ...(primary && { primary }) })
  onTestFinished(() => database.close())
  return database
}

test('a connection to a standby is refused as trouble of the database, and nothing was done on it', async () => {
  const { pool, prisma, findProblem } = open(after, createPrimaryWatch())

  const refused = await pool.query('SELECT 1').catch((error: unknown) => error)

  expect(refused).toBeInstanceOf(NotPrimaryError)
  expect(String(refused)).toContain('the server is a standby, which only lets read')
  expect([isDatabaseTrouble(refused), isOutcomeUnknown(refused)]).toEqual([true, false])
  expect(findProblem()).toBe('the database takes no connections')
  const asked = await prisma.$queryRaw`SELECT 1`.catch((error: unknown) => error)
  expect(asked).toBeInstanceOf(NotPrimaryError)
  // A command that only reads has no watch.
  expect((await open(after).pool.query('SELECT 1')).rowCount).toBe(1)
})

test('once a newer primary was seen the one of before is refused, and its connections are broken', async () => {
  const primary = createPrimaryWatch()
  const atOld = open(before, primary)
  await atOld.pool.query('SELECT 1')
  const session = await openSession({ url: before.url, primary, onError: () => {} })
  onTestFinished(() => session.close())
  const { lost } = session.connection() ?? {}
  const held = await atOld.pool.connect()

  await open(after).pool.query('SELECT pg_promote()')
  const atNew = open(after, primary)
  await atNew.pool.query('SELECT 1')
  const onHeld = await held.query('SELECT 1').catch((error: unknown) => error)
  held.release(true)
  const refused = await atOld.pool.query('SELECT 1').catch((error: unknown) => error)

  if (lost?.aborted === false) await once(lost, 'abort')
  expect(lost?.reason).toBeInstanceOf(NotPrimaryError)
  expect(String(lost?.reason)).toContain(
    'its server is the primary of timeline 1, and timeline 2 has begun',
  )
  expect(isDatabaseTrouble(onHeld)).toBe(true)
  expect(refused).toBeInstanceOf(NotPrimaryError)
  // A process that has not seen the newer one cannot know.
  expect((await open(before, createPrimaryWatch()).pool.query('SELECT 1')).rowCount).toBe(1)
  expect((await atNew.pool.query('SELECT 1')).rowCount).toBe(1)
})
