import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAccount } from '../../../src/service/ledger/accounts.ts'
import {
  BalanceTooLowError,
  IdempotencyKeyReusedError,
  RateLimitReachedError,
} from '../../../src/service/ledger/errors.ts'
import { chargeTask, failTask, type TaskCharge } from '../../../src/service/ledger/task-charge.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { countOf, rowsOf } from '../rows.ts'
import {
  fundedAccount,
  keyIdOf,
  ledgerFaults,
  untilSomebodyWaits,
  WIDE_LIMIT,
} from './ledger-fixture.ts'

const PRICE = 40_000_000n
const WORKER = 7

let url: string
let database: TestDatabase

beforeAll(async () => {
  url = await createTestDatabase()
  database = openTestDatabase({ url })
})

afterAll(async () => {
  const faults = await ledgerFaults(database.pool)
  await database.close()
  expect(faults).toEqual([])
})

function addAccount(creditMicroRub: bigint): Promise<number> {
  return fundedAccount(database.pool, creditMicroRub)
}

function clip(accountId: number, idempotencyKey?: string): TaskCharge {
  return {
    accountId,
    keyId: keyIdOf(accountId),
    limit: WIDE_LIMIT,
    model: 'vidgen',
    amountMicroRub: PRICE,
    endpoint: 'videos/vidgen-generate',
    params: { prompt: 'снег ❄️' },
    label: 'vidgen-720p-5s',
    idempotencyKey,
  }
}

async function balance(accountId: number) {
  return (await findAccount(database.pool, accountId))?.balanceMicroRub
}

async function lease(taskId: number) {
  await database.pool.query('UPDATE service.task SET lease_owner = $2 WHERE id = $1', [
    taskId,
    WORKER,
  ])
}

function fail(taskId: number, leaseOwner = WORKER) {
  return failTask(database.pool, { taskId, leaseOwner }, { code: 502, message: 'no' })
}

test('chargeTask() lets exactly three of twenty racing requests of two instances through', async () => {
  const accountId = await addAccount(20n * PRICE)
  const limit = { route: 'videos/vidgen-generate', requestsMax: 3, windowMs: 60_000 }
  const other = new pg.Pool({ connectionString: url })

  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      chargeTask(index % 2 === 0 ? database.pool : other, { ...clip(accountId), limit }),
    ),
  )
  await other.end()

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(17)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(RateLimitReachedError)
  expect(await balance(accountId)).toBe(17n * PRICE)
})

test('chargeTask() gives the last price to exactly one of racing tasks', async () => {
  const accountId = await addAccount(PRICE)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => chargeTask(database.pool, clip(accountId))),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(7)
  for (const { reason } of refused) {
    expect(reason).toEqual(new BalanceTooLowError({ neededMicroRub: PRICE, availableMicroRub: 0n }))
  }
  expect(await balance(accountId)).toBe(0n)
})

test.each([{ funds: 'for one', creditMicroRub: PRICE }])(
  'chargeTask() charges racing repeats of one key once, with funds $funds',
  async (repeats) => {
    const accountId = await addAccount(repeats.creditMicroRub)

    const charged = await Promise.all(
      Array.from({ length: 8 }, () => chargeTask(database.pool, clip(accountId, 'order 1'))),
    )

    expect(new Set(charged).size).toBe(1)
    expect(await countOf(database.pool, 'task', 'WHERE account_id = $1', [accountId])).toBe(1)
    expect(await balance(accountId)).toBe(repeats.creditMicroRub - PRICE)
  },
)

test.each([
  ['another body', { params: { prompt: 'дождь' } }],
  ['another endpoint', { endpoint: 'images/imagegen-generate' }],
])(
  'chargeTask() refuses a key that comes with %s, takes nothing and counts nothing',
  async (_, other) => {
    const accountId = await addAccount(3n * PRICE)
    const limit = { route: 'videos/vidgen-generate', requestsMax: 2, windowMs: 60_000 }
    await chargeTask(database.pool, { ...clip(accountId, 'k'), limit })

    const reused = await Promise.allSettled(
      Array.from({ length: 3 }, () =>
        chargeTask(database.pool, { ...clip(accountId, 'k'), limit, ...other }),
      ),
    )

    const reason = expect.any(IdempotencyKeyReusedError)
    expect(reused).toEqual(Array(3).fill({ status: 'rejected', reason }))
    expect(await balance(accountId)).toBe(2n * PRICE)
    expect(await countOf(database.pool, 'task', 'WHERE account_id = $1', [accountId])).toBe(1)
    await chargeTask(database.pool, { ...clip(accountId, 'l'), limit })
  },
)

// Promise: An `Idempotency-Key` comes with another body or endpoint
test('of racing requests with one key and different bodies one is made, and the others are refused', async () => {
  const accountId = await addAccount(10n * PRICE)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      chargeTask(database.pool, { ...clip(accountId, 'k'), params: { prompt: `${index}` } }),
    ),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(7)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(IdempotencyKeyReusedError)
  expect(await balance(accountId)).toBe(9n * PRICE)
})

test('failTask() ends the task and gives its price back once, however often it is called', async () => {
  const accountId = await addAccount(PRICE)
  const taskId = await chargeTask(database.pool, clip(accountId))
  await lease(taskId)

  const ended = await Promise.all([fail(taskId), fail(taskId), fail(taskId)])

  expect(ended.filter(Boolean)).toHaveLength(1)
  expect(await balance(accountId)).toBe(PRICE)
  const [task] = await rowsOf(database.pool, 'task', 'WHERE id = $1', [taskId])
  const entries = await rowsOf(database.pool, 'entry', 'WHERE task_id = $1 ORDER BY id', [taskId])
  expect(task).toMatchObject({ status: 'fail', errorCode: 502, errorMessage: 'no' })
  expect(entries.map(({ kind, amountMicroRub }) => [kind, amountMicroRub])).toEqual([
    ['charge', -PRICE],
    ['refund', PRICE],
  ])
})

test('failTask() does nothing for a process that does not hold the lease', async () => {
  const accountId = await addAccount(PRICE)
  const taskId = await chargeTask(database.pool, clip(accountId))
  await lease(taskId)

  const ended = await fail(taskId, WORKER + 1)

  expect(ended).toBe(false)
  expect(await balance(accountId)).toBe(0n)
})

// Promise: A repeat of a creation, limits of several routes or the end of a task race for the same rows
test('a repeat that has the account and the end of its first task wait for each other in no circle', async () => {
  const accountId = await addAccount(3n * PRICE)
  const pool = new pg.Pool({ connectionString: url })
  const [creating, holding] = [await pool.connect(), await pool.connect()]
  await creating.query('BEGIN')
  await holding.query('BEGIN')
  const taskId = await chargeTask(creating, clip(accountId, 'same'))
  await creating.query('UPDATE service.task SET lease_owner = $2 WHERE id = $1', [taskId, WORKER])
  const held = holding.query('SELECT FROM service.account WHERE id = $1 FOR UPDATE', [accountId])
  await untilSomebodyWaits(pool)

  const limit = { ...WIDE_LIMIT, route: 'another' }
  const repeat = chargeTask(pool, { ...clip(accountId, 'same'), limit })
  await untilSomebodyWaits(pool, 2)
  await creating.query('COMMIT')
  await held
  const failed = fail(taskId)
  await untilSomebodyWaits(pool, 2)
  await holding.query('COMMIT')

  expect(await Promise.all([repeat, failed])).toEqual([taskId, true])
  expect(await balance(accountId)).toBe(3n * PRICE)
  for (const client of [creating, holding]) client.release()
  await pool.end()
})
