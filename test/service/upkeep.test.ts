import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { registerInstance } from '../../src/platform/database/instance/instance.ts'
import type { RetentionConfig } from '../../src/service/config/service-config.ts'
import { createStorage } from '../../src/service/generation/storage.ts'
import { createRequestId } from '../../src/service/ledger/holds.ts'
import { sumUsage } from '../../src/service/ledger/reports.ts'
import { Upkeep } from '../../src/service/upkeep.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { createVisitsByHand } from '../platform/database/visits-by-hand.ts'
import { makeFolder } from '../support/make-folder.ts'
import { readRoomyDisk } from './generation/small-disk.ts'
import { capture, fundedAccount, release, settle, takeHold } from './ledger/ledger-fixture.ts'
import { countOf, rowsOf } from './rows.ts'

const DAYS = 30
const OLD = 31

let url: string
let database: ReturnType<typeof openTestDatabase>
let mediaDir: string
let accountId: number
const closers: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  url = await createTestDatabase()
  database = openTestDatabase({ url })
  mediaDir = join(await makeFolder(), 'media')
  await mkdir(mediaDir)
  accountId = await fundedAccount(database.pool, 1_000_000_000n)
})

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  await database.close()
})

async function openUpkeep(config: RetentionConfig) {
  const instance = await registerInstance({ url, onError: () => {} })
  const { dueRows, visit, visitAll } = createVisitsByHand({
    pool: database.pool,
    leaseOwner: instance.id,
  })
  const storage = createStorage({ mediaDir, guard: { allow: new Set() }, readDisk: readRoomyDisk })
  const removeFiles = vi.fn(storage.remove)
  const onDifference = vi.fn()
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const { pool } = database
  const upkeep = new Upkeep({ pool, dueRows, config, removeFiles, onDifference, log })
  upkeep.start()
  closers.push(
    () => upkeep.stop(),
    () => instance.release(),
  )
  const run = () => visitAll('service.retention')
  return { instance, removeFiles, onDifference, log, run, visit }
}

async function endedHold(
  end: 'settled' | 'released' | 'captured',
  agoDays: number,
): Promise<string> {
  const { pool } = database
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 5_000_000n })
  if (end === 'settled') await settle(pool, { requestId, costMicroRub: 2_000_000n })
  if (end === 'released') await release(pool, requestId)
  if (end === 'captured') await capture(pool, requestId)
  await pool.query(
    `UPDATE service.request SET id = $3, ended_at = now() - $2 * interval '1 day', created_at = now() - $2 * interval '1 day'
     WHERE id = $1`,
    [requestId, agoDays, createRequestId(Date.now() - agoDays * 24 * 3_600_000)],
  )
  return requestId
}

async function doneTask({
  agoDays,
  state = 'delivered',
}: {
  agoDays: number
  state?: 'pending' | 'delivered'
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
         CASE WHEN $4 <> 'pending' THEN ended_at END, CASE WHEN $4 = 'pending' THEN now() END
       FROM task
     )
     SELECT id FROM task`,
    [accountId, name, agoDays, state],
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
  const period = { from: '2000-01-01', to: '2999-01-01' }
  const usage = await sumUsage(database.pool, { accountId, period, timeZone: 'UTC', by: ['model'] })
  const { rows: faults } = await database.pool.query('SELECT * FROM service.ledger_fault')
  const [account] = await rowsOf(database.pool, 'account', 'WHERE id = $1', [accountId])
  return { usage, faults, balanceMicroRub: account?.balanceMicroRub }
}

test('old requests are folded into days, and every balance and the usage stay', async () => {
  for (const end of ['settled', 'released', 'captured'] as const) await endedHold(end, OLD)
  await endedHold('settled', DAYS - 1)
  const open = await takeHold(database.pool, { accountId, amountMicroRub: 7_000_000n })
  const before = await readLedger()
  const { run } = await openUpkeep({ holds_days: DAYS })

  await run()

  const left = await rowsOf(database.pool, 'request')
  expect(left).toHaveLength(2)
  expect(left.map(({ id }) => id)).toContain(open)
  expect(await readLedger()).toEqual(before)
  expect(before.faults).toEqual([])
})

test('an open request is never deleted, however old, and ends as ever', async () => {
  await takeHold(database.pool, { accountId, amountMicroRub: 7_000_000n })
  await database.pool.query(
    `UPDATE service.request SET id = uuidv7(interval '-1 year'), created_at = now() - interval '1 year'`,
  )
  const [row] = await rowsOf(database.pool, 'request')
  const { run } = await openUpkeep({ holds_days: 1 })

  await run()

  expect(await release(database.pool, row?.id)).toBe(true)
})

test('old results are removed, their tasks stay as they ended, and what a callback has yet to report stays', async () => {
  const old = await doneTask({ agoDays: OLD })
  const young = await doneTask({ agoDays: DAYS - 1 })
  const pending = await doneTask({ agoDays: OLD, state: 'pending' })
  const { run, removeFiles } = await openUpkeep({ media_days: DAYS })

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

test('results whose removal fails are removed later', async () => {
  const old = await doneTask({ agoDays: OLD })
  const { run, removeFiles } = await openUpkeep({ media_days: DAYS })
  removeFiles.mockRejectedValueOnce(new Error('the disk is away'))

  await run()
  const isThere = await isOnDisk(old.name)
  await run()

  expect(isThere).toBe(true)
  expect(await isOnDisk(old.name)).toBe(false)
})

test.each<[string, RetentionConfig]>([
  ['requests', { media_days: DAYS }],
  ['results', { holds_days: DAYS }],
])('%s that no setting names are kept', async (kind, config) => {
  await endedHold('settled', 10_000)
  const { name } = await doneTask({ agoDays: 10_000 })
  const { run } = await openUpkeep(config)

  await run()

  expect(await countOf(database.pool, 'request')).toBe(kind === 'requests' ? 1 : 0)
  expect(await isOnDisk(name)).toBe(kind === 'results')
})

test('a day’s charges more than 5 % below the reported costs are reported by model, a margin is not', async () => {
  const { pool } = database
  for (const [model, costMicroRub, reportedCostMicroRub] of [
    ['exact', 95n, 100n],
    ['resold', 200n, 100n],
    ['cheap', 94n, 100n],
    ['silent', 100n, undefined],
  ] as const) {
    const requestId = await takeHold(pool, { accountId, model, amountMicroRub: 200n })
    const usage = { promptTokens: 1, completionTokens: 1 }
    await settle(pool, { requestId, usage, costMicroRub, reportedCostMicroRub })
  }
  const old = await takeHold(pool, { accountId, model: 'old', amountMicroRub: 200n })
  const usage = { promptTokens: 1, completionTokens: 1 }
  await settle(pool, { requestId: old, usage, costMicroRub: 1n, reportedCostMicroRub: 200n })
  await pool.query(
    "UPDATE service.request SET ended_at = now() - interval '25 hours' WHERE id = $1",
    [old],
  )
  const { onDifference, log, visit } = await openUpkeep({})

  expect(await visit('service.price_watch', 1)).toBe(24 * 60 * 60_000)

  expect(onDifference.mock.calls).toEqual([
    [{ pricedModel: 'cheap', chargedMicroRub: 94n, reportedMicroRub: 100n }],
  ])
  expect(log.warn).toHaveBeenCalledTimes(1)
})
