import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.ts'
import { startEmbeddedDatabase } from '../../../src/platform/database/embedded.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { mountSmallDisk } from '../../service/generation/small-disk.ts'

const DISK_BYTES = 256 * 2 ** 20
/** Of a server that is not to end because its log has no room. */
const SETTINGS = [
  'fsync=off',
  'min_wal_size=32MB',
  'max_wal_size=64MB',
  'wal_level=minimal',
  'max_wal_senders=0',
]

test('a full disk is a problem from the first write that it refuses until ten seconds after the last', async ({
  skip,
  onTestFinished,
}) => {
  const disk = mountSmallDisk(DISK_BYTES) ?? skip('this user may mount no disk')
  onTestFinished(disk.unmount)
  const server = await startEmbeddedDatabase({
    dataDir: join(disk.dir, 'data'),
    settings: SETTINGS,
  })
  onTestFinished(() => server.stop())
  const clock = createManualClock()
  const database = openDatabase({ url: server.url, onIdleError: () => {}, clock })
  onTestFinished(database.close)
  const { pool, findProblem } = database
  await pool.query('CREATE UNLOGGED TABLE words (word text)')
  const insert = () =>
    pool.query("INSERT INTO words SELECT repeat('x', 1000) FROM generate_series(1, 1000)")
  await insert()
  const { bavail, bsize } = await statfs(disk.dir)
  const filler = join(disk.dir, 'filler')
  // All but 64 KiB.
  await writeFile(filler, Buffer.alloc(bavail * bsize - 65_536))

  const before = findProblem()
  const refused = await insert().catch((error: unknown) => error)
  // It is read all the same.
  await pool.query('SELECT count(*) FROM words')
  clock.advance(9_999)
  const after = findProblem()
  await rm(filler)
  clock.advance(1)

  expect(refused).toBeInstanceOf(pg.DatabaseError)
  expect(refused).toMatchObject({ code: '53100' })
  expect([before, after]).toEqual([undefined, 'the disk of the database is full'])
  expect(findProblem()).toBeUndefined()
  await insert()
})
