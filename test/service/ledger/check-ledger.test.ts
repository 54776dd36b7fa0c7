import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import { checkLedger, type LedgerFault } from '../../../src/service/ledger/reports/check-ledger.ts'
import { chargeTask, failTask } from '../../../src/service/ledger/task-charge.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount, keyIdOf, takeHold, WIDE_LIMIT } from './ledger-fixture.ts'

const PRICE = 40n
const WORKER = 7
const USAGE = { promptTokens: 1, completionTokens: 1 }

let pool: pg.Pool
let accountId: number

beforeEach(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
  accountId = await fundedAccount(pool, 1000n)
})
afterEach(() => pool.end())

async function createTask(): Promise<number> {
  const taskId = await chargeTask(pool, {
    accountId,
    keyId: keyIdOf(accountId),
    limit: WIDE_LIMIT,
    model: 'vidgen',
    amountMicroRub: PRICE,
    endpoint: 'videos/vidgen-generate',
    params: { prompt: 'snow' },
    label: 'vidgen-720p-5s',
  })
  await pool.query('UPDATE service.task SET lease_owner = $2 WHERE id = $1', [taskId, WORKER])
  return taskId
}

async function fail(taskId: number): Promise<void> {
  await failTask(pool, { taskId, leaseOwner: WORKER }, { code: 502, message: 'no' })
}

/** Writes an entry, and moves balance and spend with it: only what it is written for is at fault. */
async function writeEntry(kind: string, amount: bigint, cause: 'hold_id' | 'task_id', id: unknown) {
  await pool.query(
    `WITH moved AS (
       UPDATE service.account SET balance_micro_rub = balance_micro_rub + $3 WHERE id = $1
     ), spent AS (
       UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - $3 WHERE public_id = $5
     )
     INSERT INTO service.entry (account_id, kind, amount_micro_rub, ${cause}, key_id)
     VALUES ($1, $2::service.entry_kind, $3, $4, $5)`,
    [accountId, kind, amount, id, keyIdOf(accountId)],
  )
}

async function faults() {
  const found = await checkLedger(pool)
  expect(found.faultCount).toBe(found.faults.length)
  return found.faults.map(({ accountName: _name, ...fault }: LedgerFault) => fault)
}

test('a ledger with every kind of entry is right, also when the holds are no longer kept', async () => {
  const take = () => takeHold(pool, { accountId, amountMicroRub: 10n })
  await take()
  await settle(pool, { requestId: await take(), costMicroRub: 4n, usage: USAGE })
  await settle(pool, { requestId: await take(), costMicroRub: 10n, usage: USAGE })
  await release(pool, await take())
  await keep(pool, await take())
  await createTask()
  await fail(await createTask())

  const kept = await checkLedger(pool)
  await pool.query("DELETE FROM service.hold WHERE state <> 'held'")
  const cleared = await checkLedger(pool)

  const estimated = [{ state: 'kept', reason: 'broken', chats: 1, costMicroRub: 10n }]
  expect(kept).toEqual({ accounts: 1, entries: 12, estimated, faultCount: 0, faults: [] })
  expect(cleared).toEqual({ ...kept, estimated: [] })
})

test('a balance that is not the sum of the entries is a fault', async () => {
  await pool.query('UPDATE service.account SET balance_micro_rub = 1001')

  expect(await checkLedger(pool)).toMatchObject({
    faultCount: 1,
    faults: [{ accountName: expect.any(String), rule: 'balance' }],
  })
  expect(await faults()).toEqual([
    { accountId, rule: 'balance', subject: null, wantedMicroRub: 1000n, foundMicroRub: 1001n },
  ])
})

test("a key's spend that is not that of its entries is a fault", async () => {
  await takeHold(pool, { accountId, amountMicroRub: 10n })
  await pool.query('UPDATE service.api_key SET spent_micro_rub = 9')

  expect(await faults()).toEqual([
    {
      accountId,
      rule: 'key',
      subject: keyIdOf(accountId),
      wantedMicroRub: 10n,
      foundMicroRub: 9n,
    },
  ])
})

test('a refund of a task that did not fail is a fault, and a failed task without one', async () => {
  const [refunded, failed] = [await createTask(), await createTask()]
  await writeEntry('refund', PRICE, 'task_id', refunded)
  await pool.query(
    `UPDATE service.task SET status = 'fail', error_code = 502, ended_at = now(), due_at = NULL
     WHERE id = $1`,
    [failed],
  )

  const found = await faults()

  expect(found).toEqual([
    { accountId, rule: 'task', subject: `${refunded}`, wantedMicroRub: -40n, foundMicroRub: 0n },
    { accountId, rule: 'task', subject: `${failed}`, wantedMicroRub: 0n, foundMicroRub: -40n },
  ])
})

// Promise: A row of the ledger is changed by hand, or by a mistake of ours
test('what an ended process left open is a fault once another should have taken it over', async () => {
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 10n, leaseOwner: 999 })
  const taskId = await createTask()
  const age = (interval: string) =>
    pool.query(
      `WITH hold AS (UPDATE service.hold SET created_at = now() - $1::interval)
       UPDATE service.task SET due_at = now() - $1::interval`,
      [interval],
    )

  await age('11 minutes')
  const alone = await faults()
  await pool.query("INSERT INTO public.instance (works) VALUES ('{service}')")
  await age('9 minutes')
  const soon = await faults()
  await age('11 minutes')
  const late = await faults()

  expect([alone, soon]).toEqual([[], []])
  expect(late).toEqual([
    {
      accountId,
      rule: 'open_hold',
      subject: requestId,
      wantedMicroRub: null,
      foundMicroRub: null,
    },
    {
      accountId,
      rule: 'open_task',
      subject: `${taskId}`,
      wantedMicroRub: null,
      foundMicroRub: null,
    },
  ])
})
