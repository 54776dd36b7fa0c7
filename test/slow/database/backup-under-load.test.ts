import { join } from 'node:path'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { takeBackup } from '../../../src/cli/backup.ts'
import { restoreBackup } from '../../../src/cli/restore.ts'
import { openDataDir } from '../../cli/backup-setup.ts'
import {
  fundedAccount,
  ledgerFaults,
  settle,
  takeHold,
} from '../../service/ledger/ledger-fixture.ts'
import { makeFolder } from '../../support/make-folder.ts'

const { signal } = new AbortController()
const WRITERS = 4
const BEFORE_MIN = 30
const WIDE_LIMIT = { kind: 'chat', requestsMax: 1_000_000 } as const
const SUMS = `
  SELECT id, balance_micro_rub = coalesce(
    (SELECT sum(amount_micro_rub) FROM service.movement WHERE account_id = account.id), 0) AS agrees
  FROM service.account ORDER BY id`

function startWriters(pool: pg.Pool, accountIds: readonly number[]) {
  const settled: string[] = []
  const stopping = new AbortController()
  const writers = accountIds.map(async (accountId) => {
    while (!stopping.signal.aborted) {
      const limit = WIDE_LIMIT
      const requestId = await takeHold(pool, { accountId, amountMicroRub: 1_000n, limit })
      const usage = { promptTokens: 1, completionTokens: 1 }
      await settle(pool, { requestId, costMicroRub: BigInt(settled.length % 900), usage })
      settled.push(requestId)
    }
  })
  return {
    settled,
    stop: async () => {
      stopping.abort()
      await Promise.all(writers)
    },
  }
}

/** Makes, fills, empties and drops tables without end: files of the server appear, grow, shrink and vanish. */
function startTables(pool: pg.Pool) {
  const stopping = new AbortController()
  const work = async () => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      await pool.query(`CREATE TABLE public.t${n} AS SELECT generate_series(1, 20000) AS id`)
      await pool.query(`INSERT INTO public.grown SELECT generate_series(1, 2000)`)
      await pool.query(`TRUNCATE public.t${n}`)
      if (n > 0) await pool.query(`DROP TABLE public.t${n - 1}`)
    }
  }
  const working = work()
  return async () => {
    stopping.abort()
    await working
  }
}

async function settledIn(pool: pg.Pool): Promise<Set<string>> {
  const { rows } = await pool.query(`SELECT id FROM service.request WHERE end_state = 'settled'`)
  return new Set(rows.map(({ id }) => id))
}

async function requestsIn(pool: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query(
    `SELECT id, request::text AS row FROM service.request WHERE end_state = 'settled'`,
  )
  return new Map(rows.map(({ id, row }) => [id, row]))
}

test('a backup under load, restored into an empty folder: the ledger checks, balances are the sums at its instant, nothing from before is missing and nothing from after is there', {
  timeout: 120_000,
}, async () => {
  const folder = await makeFolder()
  const dataDir = join(folder, 'data')
  const original = await openDataDir(dataDir)
  const accountIds = await Promise.all(
    Array.from({ length: WRITERS }, () => fundedAccount(original.pool, 10n ** 12n)),
  )
  await original.pool.query('CREATE TABLE public.grown (id integer)')
  const stopTables = startTables(original.pool)
  const writers = startWriters(original.pool, accountIds)
  await expect.poll(() => writers.settled.length, { timeout: 30_000 }).toBeGreaterThan(BEFORE_MIN)
  const before = [...writers.settled]
  const beganAt = performance.now()

  const file = join(folder, 'kopeck.tar')
  const { bytes } = await takeBackup({ url: original.url, dataDir, file, withMedia: true, signal })

  const tookMs = Math.round(performance.now() - beganAt)
  const during = writers.settled.length - before.length
  // What is under way now may have begun in time.
  const known = writers.settled.length + WRITERS
  await expect
    .poll(() => writers.settled.length, { timeout: 30_000 })
    .toBeGreaterThan(known + BEFORE_MIN)
  const after = writers.settled.slice(known)
  await Promise.all([writers.stop(), stopTables()])
  const written = await requestsIn(original.pool)
  await original.close()
  await restoreBackup(file, join(folder, 'restored'))
  const { pool, applied, close } = await openDataDir(join(folder, 'restored'))
  expect(applied).toEqual([])
  expect(await ledgerFaults(pool)).toEqual([])
  const sums = (await pool.query(SUMS)).rows
  expect(sums).toHaveLength(WRITERS)
  expect(sums.every(({ agrees }) => agrees)).toBe(true)
  const settled = await settledIn(pool)
  expect(before.filter((id) => !settled.has(id))).toEqual([])
  expect(after.filter((id) => settled.has(id))).toEqual([])
  // The ledger, its rows and another table were copied while they grew: all is readable, in whole inserts.
  const { rows: grown } = await pool.query('SELECT count(*)::int % 2000 AS rest FROM public.grown')
  expect(grown).toEqual([{ rest: 0 }])
  const kept = await requestsIn(pool)
  expect([...kept].filter(([id, row]) => written.get(id) !== row)).toEqual([])
  await close()
  process.stdout.write(
    `backup of ${(bytes / 1e6).toFixed(1)} MB under ${WRITERS} writers took ${tookMs} ms, ${during} settlements meanwhile; restored ${kept.size} of ${written.size} requests\n`,
  )
})
