import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.ts'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import { release, settle } from '../../../src/service/ledger/end-hold.ts'
import { BalanceTooLowError } from '../../../src/service/ledger/errors.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import { chargeTask } from '../../../src/service/ledger/task-charge.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  balanceOf,
  fundedAccount,
  keyIdOf,
  ledgerFaults,
  takeHold,
  untilSomebodyWaits,
  WIDE_LIMIT,
} from './ledger-fixture.ts'
import { isBatch, openLedger } from './open-ledger.ts'

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url, max: 12 })
  pool.on('error', () => {})
})
afterAll(() => pool.end())

async function lockAccount(accountId: number): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM service.account WHERE id = $1 FOR UPDATE', [accountId])
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

// Promise: The connection breaks in a batch, or right after it was done
test('where the connection breaks in a batch all of it fail, and none is done again', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const { ledger, statements } = openLedger(pool)
  const letGo = await lockAccount(accountId)
  const charge = () =>
    chargeTask(ledger, {
      accountId,
      keyId: keyIdOf(accountId),
      limit: WIDE_LIMIT,
      model: 'alpha',
      endpoint: 'videos/x',
      params: {},
      label: 'clip',
      amountMicroRub: 40n,
    })
  const other = await fundedAccount(pool, 1000n)

  const first = takeHold(ledger, { accountId: other, amountMicroRub: 1n })
  const charges = Promise.allSettled([charge(), charge()])
  await first
  await untilSomebodyWaits(pool)
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  const outcomes = await charges
  await letGo()

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(statements).toEqual(['hold', 'task 2'])
  expect(await balanceOf(pool, accountId)).toBe(1000n)
})

// Promise: The connection breaks in a batch, or right after it was done
test('a batch that was done, and whose answer was lost, is not done again: each hold of it can be given back', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const { ledger, statements } = openLedger({
    query: (async (config: pg.QueryConfig, values: unknown[]) => {
      const result = await pool.query(config, values)
      if (isBatch(config)) throw new Error('Connection terminated unexpectedly')
      return result
    }) as Sql['query'],
  })
  const requestIds = Array.from({ length: 4 }, () => randomUUID())

  const outcomes = await Promise.allSettled(
    requestIds.map((requestId) => takeHold(ledger, { accountId, amountMicroRub: 10n, requestId })),
  )

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...Array(3).fill('rejected')])
  expect(statements).toEqual(['hold', 'hold 3'])
  expect(await balanceOf(pool, accountId)).toBe(60n)
  for (const requestId of requestIds.slice(1)) expect(await release(pool, requestId)).toBe(true)
  expect(await balanceOf(pool, accountId)).toBe(90n)
})

// Promise: Somebody keeps the row of one account, or a connection hangs
test('a connection that hangs stops nobody else, and what was asked over it fails once it is broken', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const proxy = await openCuttableProxy(Number(new URL(url).port))
  const detour = new URL(url)
  detour.port = String(proxy.port)
  const database = openDatabase({ url: detour.href })
  const ledger = withLane(database.pool)
  await database.pool.query('SELECT')
  proxy.swallow()

  const hanging = takeHold(ledger, { accountId, amountMicroRub: 10n })
  const others = [1n, 2n].map((amountMicroRub) => takeHold(ledger, { accountId, amountMicroRub }))
  await Promise.all(others)
  const failed = expect(hanging).rejects.toThrow('Connection terminated')
  database.suspend()
  await failed
  await database.close()
  proxy.cut()

  expect(await balanceOf(pool, accountId)).toBe(97n)
})

const USAGE = { promptTokens: 1, completionTokens: 1 }

// Promise: Many requests come at once
test('one that is refused refuses only itself, and those that come first are served first', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const { ledger } = openLedger(pool)

  const outcomes = await Promise.allSettled(
    [10n, 60n, 60n, 20n, 20n].map((amountMicroRub) =>
      takeHold(ledger, { accountId, amountMicroRub }),
    ),
  )

  const refusals = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? outcome.reason : undefined,
  )
  // Each counts towards the limit, the third of them and the fifth, too.
  const standing = { requestsMax: WIDE_LIMIT.requestsMax, resetMs: WIDE_LIMIT.windowMs }
  const [third, fifth] = [refusals[2], refusals[4]]
  expect(refusals.filter((refusal) => refusal instanceof BalanceTooLowError)).toHaveLength(2)
  expect(third).toMatchObject({
    ...{ neededMicroRub: 60n, availableMicroRub: 30n },
    standing: { ...standing, requestsLeft: WIDE_LIMIT.requestsMax - 3 },
  })
  expect(fifth).toMatchObject({
    ...{ neededMicroRub: 20n, availableMicroRub: 10n },
    standing: { ...standing, requestsLeft: WIDE_LIMIT.requestsMax - 5 },
  })
})

// Promise: Many requests come at once
test('batches of two processes on the same accounts keep every promise, and lock each other out of nothing', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => fundedAccount(pool, 3000n)))
  const limit = { route: 'chat', requestsMax: 100, windowMs: 60_000 }
  const processes = [openLedger(pool), openLedger(pool)]

  const requests = Array.from({ length: 600 }, async (_, index) => {
    const { ledger } = processes[index % 2] as (typeof processes)[0]
    const accountId = accounts[(index * 7) % 4] as number
    const requestId = randomUUID()
    await takeHold(ledger, { accountId, amountMicroRub: 10n, limit, requestId })
    if (index % 5 === 0) await release(ledger, requestId)
    else await settle(ledger, { requestId, costMicroRub: 7n, usage: USAGE })
  })
  const outcomes = await Promise.allSettled(requests)

  const taken = outcomes.filter(({ status }) => status === 'fulfilled').length
  expect(taken).toBe(400)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.name).toBe('RateLimitReachedError')
  }
  for (const { statements } of processes) {
    expect(statements.filter((each) => ['hold', 'end'].includes(each)).length).toBeLessThan(20)
  }
  expect(await ledgerFaults(pool)).toEqual([])
})
