import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { applyMigrations } from '../../src/platform/database/migrate.ts'
import { GROWN, scaled } from '../growth/grow-database.ts'
import { createEmptyDatabase, createTestDatabase } from '../platform/database/test-database.ts'
import { growOlder } from './grow-older.ts'
import { createLockMeter, type LockMeter } from './lock-meter.ts'
import { installRelease, readThisVersion } from './versions.ts'

/** `GROWN_PART=1` has a million charges and holds, as the bound is meant, and prints what each migration keeps. */
const PART = Number(process.env.GROWN_PART ?? 0.01)
const LOCK_MS_MAX = 2_000
const GATE = 31

// Promise: The tables that a newer version changes have a million rows
test('no migration since the release before keeps others from writing for two seconds', {
  timeout: 60_000 + PART * 600_000,
}, async () => {
  const [before, now] = await Promise.all([installRelease(), readThisVersion()])
  const url = await createEmptyDatabase()
  await applyMigrations(url, before.migrations)
  await growOlder(url, scaled(GROWN, PART))
  const meter = await openMeter(url)

  const known = new Set(before.migrations.map(({ name }) => name))
  const longest = new Map<string, string>()
  const tooLong: string[] = []
  // One after the other: the locks of each end with its transaction.
  const applied = now.migrations.filter(({ name }) => known.has(name))
  for (const migration of now.migrations.filter(({ name }) => !known.has(name))) {
    applied.push(migration)
    const kept = await meter.during(() => applyMigrations(url, applied))
    const { name } = migration
    const [first] = kept
    if (first !== undefined) longest.set(name, `${first.ms} ms, ${first.mode} of ${first.table}`)
    tooLong.push(
      ...kept.filter(({ ms }) => ms > LOCK_MS_MAX).map(({ table }) => `${name}: ${table}`),
    )
  }

  if (process.env.GROWN_PART !== undefined) console.info(longest)
  expect(tooLong).toEqual([])
})

test('a lock that a migration keeps is measured, and its table named', async () => {
  const { migrations } = await readThisVersion()
  const url = await createTestDatabase()
  const gate = new pg.Client({ connectionString: url })
  await gate.connect()
  onTestFinished(() => gate.end())
  await gate.query('SELECT pg_advisory_lock($1)', [GATE])
  const sql = `LOCK TABLE bot.charge; SELECT pg_advisory_xact_lock(${GATE})`
  const meter = await openMeter(url)

  const measured = meter.during(() =>
    applyMigrations(url, [...migrations, { name: '99990101000000_locks', sql }]),
  )
  await expect.poll(() => meter.kept()[0]?.ms ?? 0).toBeGreaterThan(0)
  await gate.query('SELECT pg_advisory_unlock($1)', [GATE])

  expect(await measured).toMatchObject([{ table: 'bot.charge', mode: 'AccessExclusiveLock' }])
})

async function openMeter(url: string): Promise<LockMeter> {
  const meter = await createLockMeter(url)
  onTestFinished(() => meter.close())
  return meter
}
