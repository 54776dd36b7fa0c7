import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import type { RetentionConfig } from '../../../src/service/config/retention-config.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import { createRetention } from '../../../src/service/retention/retention.ts'
import { removeStoredFiles } from '../../../src/service/storage/storage.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createVisitsByHand } from '../../platform/jobs/visits-by-hand.ts'
import { fundedAccount, takeHold } from '../ledger/ledger-fixture.ts'
import { countOf, rowsOf } from '../rows.ts'

const DAYS = 30
const OLD = 31
const USAGE = { promptTokens: 1, completionTokens: 1 }

let url: string
let database: ReturnType<typeof openTestDatabase>
let mediaDir: string
let accountId: number
const closers: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  url = await createTestDatabase()
  database = openTestDatabase({ url })
  mediaDir = join(await mkdtemp(join(tmpdir(), 'kopeck-retention-')), 'media')
  await mkdir(mediaDir)
  accountId = await fundedAccount(database.pool, 1_000_000_000n)
})

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  await database.close()
  await rm(join(mediaDir, '..'), { recursive: true })
})

async function openRetention(config: RetentionConfig) {
  const instance = await registerInstance({ url, onError: () => {} })
  const { dueRows, visitAll } = createVisitsByHand({ pool: database.pool, leaseOwner: instance.id })
  const removeFiles = vi.fn((names: readonly string[]) => removeStoredFiles(mediaDir, names))
  const log = { info: vi.fn() }
  const retention = createRetention({ sql: database.pool, dueRows, config, removeFiles, log })
  retention.start()
  closers.push(
    () => retention.stop(0),
    () => instance.release(),
  )
  return { instance, removeFiles, log, run: () => visitAll('service.retention') }
}

async function endedHold(end: 'settled' | 'released' | 'kept', agoDays: number): Promise<string> {
  const { pool } = database
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 5_000_000n })
  if (end === 'settled') await settle(pool, { requestId, costMicroRub: 2_000_000n, usage: USAGE })
  if (end === 'released') await release(pool, requestId)
  if (end === 'kept') await keep(pool, requestId)
  await pool.query(
    `UPDATE service.hold SET ended_at = now() - $2 * interval '1 day' WHERE request_id = $1`,
    [requestId, agoDays],
  )
  return requestId
}

async function doneTask({
  agoDays,
  state = 'delivered',
  attempts = 2,
}: {
  agoDays: number
  state?: 'pending' | 'delivered' | 'failed'
  attempts?: number
}) {
  const name = `${crypto.randomUUID().replaceAll('-', '')}aaaaaaaa.png`
  await writeFile(join(mediaDir, name), 'a picture')
  const { rows } = await database.pool.query<{ id: number }>(
    `WITH task AS (
       INSERT INTO service.task (account_id, endpoint, params, label, price_micro_rub, status, files,
         callback_url, ended_at)
       VALUES ($1, 'images/imagegen-generate', '{}', 'imagegen', 0, 'success', ARRAY[$2],
         'https://a.example/', now() - $3 * interval '1 day')
       RETURNING id, ended_at
     ), callback AS (
       INSERT INTO service.callback (task_id, body, state, ended_at, due_at)
       SELECT id, '', $4::service.callback_state,
         CASE WHEN $4 <> 'pending' THEN ended_at END, CASE WHEN $4 = 'pending' THEN now() END FROM task
     ), attempt AS (
       INSERT INTO service.callback_attempt (task_id, number, started_at, ended_at, status)
       SELECT id, number, ended_at, ended_at, 500 FROM task, generate_series(1, $5) AS number
     )
     SELECT id FROM task`,
    [accountId, name, agoDays, state, attempts],
  )
  return { id: rows[0]?.id ?? 0, name }
}

async function isOnDisk(name: string): Promise<boolean> {
  return await access(join(mediaDir, name)).then(
    () => true,
    () => false,
  )
}

async function readLedger() {
  const entries = await rowsOf(database.pool, 'entry', 'ORDER BY id')
  const { rows: faults } = await database.pool.query('SELECT * FROM service.ledger_fault')
  const [account] = await rowsOf(database.pool, 'account', 'WHERE id = $1', [accountId])
  return { entries, faults, balanceMicroRub: account?.balanceMicroRub }
}

// Promise: Old holds, attempts and results are deleted by a setting
test('old ended holds are deleted, and every entry and balance stays', async () => {
  for (const end of ['settled', 'released', 'kept'] as const) await endedHold(end, OLD)
  const young = await endedHold('settled', DAYS - 1)
  const open = await takeHold(database.pool, { accountId, amountMicroRub: 7_000_000n })
  const before = await readLedger()
  const { run } = await openRetention({ holds_days: DAYS })

  await run()

  const left = await rowsOf(database.pool, 'hold')
  expect(left.map(({ requestId }) => requestId).sort()).toEqual([young, open].sort())
  expect(await readLedger()).toEqual(before)
  expect(before.faults).toEqual([])
})

// Promise: Old holds, attempts and results are deleted by a setting
test('an open hold is never deleted, however old, and ends as ever', async () => {
  const requestId = await takeHold(database.pool, { accountId, amountMicroRub: 7_000_000n })
  await database.pool.query(`UPDATE service.hold SET created_at = now() - interval '1 year'`)
  const { run } = await openRetention({ holds_days: 1 })

  await run()

  expect(await release(database.pool, requestId)).toBe(true)
})

// Promise: Old holds, attempts and results are deleted by a setting
test('old attempts are deleted, but not of a callback that is being sent', async () => {
  const old = await doneTask({ agoDays: OLD, state: 'failed' })
  const young = await doneTask({ agoDays: DAYS - 1 })
  const pending = await doneTask({ agoDays: OLD, state: 'pending' })
  const { run } = await openRetention({ callback_attempts_days: DAYS })

  await run()

  const left = await rowsOf(database.pool, 'callback_attempt')
  expect(new Set(left.map(({ taskId }) => taskId))).toEqual(new Set([young.id, pending.id]))
  expect(await countOf(database.pool, 'callback', 'WHERE task_id = $1', [old.id])).toBe(1)
})

// Promise: Old holds, attempts and results are deleted by a setting
test('old results are removed, their tasks stay as they ended, and what a callback has yet to report stays', async () => {
  const old = await doneTask({ agoDays: OLD })
  const young = await doneTask({ agoDays: DAYS - 1 })
  const pending = await doneTask({ agoDays: OLD, state: 'pending' })
  const { run, removeFiles } = await openRetention({ media_days: DAYS })

  await run()
  await run()

  expect(await isOnDisk(old.name)).toBe(false)
  expect(await isOnDisk(young.name)).toBe(true)
  expect(await isOnDisk(pending.name)).toBe(true)
  const [task] = await rowsOf(database.pool, 'task', 'WHERE id = $1', [old.id])
  expect(task).toMatchObject({ status: 'success', files: [old.name] })
  expect(task?.mediaRemovedAt).toBeInstanceOf(Date)
  expect(removeFiles.mock.calls.flatMap(([names]) => names)).toEqual([old.name])
})

test('what is too old is deleted in batches, one after the other', async () => {
  await database.pool.query(
    `INSERT INTO service.hold (request_id, account_id, model, amount_micro_rub, state, lease_owner, ended_at)
     SELECT gen_random_uuid(), $1, 'alpha', 0, 'released', 1, now() - interval '1 year'
     FROM generate_series(1, 2500)`,
    [accountId],
  )
  const { run } = await openRetention({ holds_days: DAYS })

  const left: number[] = []
  for (let batch = 0; batch < 3; batch += 1) {
    await run()
    left.push(await countOf(database.pool, 'hold'))
  }

  expect(left).toEqual([1500, 500, 0])
})
