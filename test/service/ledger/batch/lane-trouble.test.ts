import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/platform/database/database.ts'
import { withLane } from '../../../../src/service/ledger/batch/lane.ts'
import { release } from '../../../../src/service/ledger/end-hold.ts'
import type { Sql } from '../../../../src/service/ledger/sql.ts'
import { chargeTask } from '../../../../src/service/ledger/task-charge.ts'
import { openCuttableProxy } from '../../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import {
  balanceOf,
  fundedAccount,
  keyIdOf,
  takeHold,
  untilSomebodyWaits,
  WIDE_LIMIT,
} from '../ledger-fixture.ts'
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
