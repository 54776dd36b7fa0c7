import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkLedger, type LedgerFault } from '../../../src/service/ledger/check.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  addKey,
  capture,
  endTask,
  fundedAccount,
  release,
  settle,
  startTask,
  takeHold,
} from './ledger-fixture.ts'

let pool: pg.Pool
let accountId: number
let keyId: string

beforeEach(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
  accountId = await fundedAccount(pool, 1000n)
  keyId = await addKey(pool, accountId, { spendLimitMicroRub: 500n })
})
afterEach(() => pool.end())

const take = () => takeHold(pool, { accountId, keyId, amountMicroRub: 10n })

const createTask = () => startTask(pool, { accountId, keyId, amountMicroRub: 40n })

async function faults() {
  return (await checkLedger(pool)).map(({ accountName: _name, ...fault }: LedgerFault) => fault)
}

test('a ledger with every kind of movement is right', async () => {
  await take()
  await settle(pool, { requestId: await take(), costMicroRub: 4n })
  await release(pool, await take())
  await capture(pool, await take())
  await createTask()
  await endTask(pool, await createTask())

  expect(await checkLedger(pool)).toEqual([])
})

test.each([
  ['a balance', 'UPDATE service.account SET balance_micro_rub = 991', 'balance'],
  ['what a key has spent', 'UPDATE service.api_key SET spent_micro_rub = 9', 'key'],
  [
    'a cost',
    "UPDATE service.request SET cost_micro_rub = 3 WHERE end_state = 'settled'",
    'balance',
  ],
  [
    'an account’s list of limited keys',
    "UPDATE service.account SET limited_keys = '{}'",
    'limited_key',
  ],
])('%s that was changed by hand is a fault', async (_, text, rule) => {
  await settle(pool, { requestId: await take(), costMicroRub: 4n })

  await pool.query(text)

  const found = await faults()
  expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ accountId, rule })]))
  const subject = rule === 'balance' ? null : keyId
  expect(found.find((fault) => fault.rule === rule)?.subject).toBe(subject)
})

test('what a dead process left open is a fault once another should have taken it over', async () => {
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 10n, leaseOwner: 999 })
  const taskId = await createTask()
  const age = (interval: string) =>
    pool.query(
      `WITH request AS (UPDATE service.request SET created_at = now() - $1::interval)
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
  const none = { accountId, wantedMicroRub: null, foundMicroRub: null }
  expect(late).toEqual([
    { ...none, rule: 'open_request', subject: requestId },
    { ...none, rule: 'open_task', subject: `${taskId}` },
  ])
})
