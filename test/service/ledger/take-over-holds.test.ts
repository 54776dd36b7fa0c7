import { once } from 'node:events'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import { markFirstOutput } from '../../../src/service/ledger/hold.ts'
import { takeOverHolds } from '../../../src/service/ledger/take-over-holds.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  balanceOf,
  entriesOf,
  fundedAccount,
  holdRow,
  ledgerFaults,
  takeHold,
} from './ledger-fixture.ts'

/** An id of no process: ids of processes begin with 1. */
const DEAD = 0
const USAGE = { promptTokens: 1, completionTokens: 1 }

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url, max: 20 })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})
afterAll(() => pool.end())

test('a dead process gives back the hold of which nothing went out, and keeps the other', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const silent = await takeHold(pool, { accountId, amountMicroRub: 10n, leaseOwner: DEAD })
  const heard = await takeHold(pool, { accountId, amountMicroRub: 20n, leaseOwner: DEAD })
  await markFirstOutput(pool, heard)

  const closed = await takeOverHolds(pool)

  expect(closed).toEqual({ released: 1, kept: 1 })
  expect(await holdRow(pool, silent)).toMatchObject({ state: 'released', cost: '0' })
  expect(await holdRow(pool, heard)).toMatchObject({ state: 'kept', cost: '20' })
  expect(await balanceOf(pool, accountId)).toBe(80n)
})

test('the hold of a living process is left alone until that process is gone', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const instance = await registerInstance({ url, onError: () => {} })
  const requestId = await takeHold(pool, {
    accountId,
    amountMicroRub: 10n,
    leaseOwner: instance.id,
  })

  const whileAlive = await takeOverHolds(pool)
  await instance.release()
  await goneFromLocks(instance.id)
  const afterwards = await takeOverHolds(pool)

  expect(whileAlive).toEqual({ released: 0, kept: 0 })
  expect(afterwards).toEqual({ released: 1, kept: 0 })
  expect(await holdRow(pool, requestId)).toMatchObject({ state: 'released' })
})

test('many sweeps at once give back each hold of several accounts once', async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => fundedAccount(pool, 1000n)))
  await Promise.all(
    accounts.flatMap((accountId) =>
      Array.from({ length: 8 }, () =>
        takeHold(pool, { accountId, amountMicroRub: 100n, leaseOwner: DEAD }),
      ),
    ),
  )

  const sweeps = await Promise.all(Array.from({ length: 12 }, () => takeOverHolds(pool)))

  expect(sweeps.reduce((sum, { released }) => sum + released, 0)).toBe(40)
  for (const accountId of accounts) expect(await balanceOf(pool, accountId)).toBe(1000n)
})

// Promise: A process loses its lease in the middle of work
test('a request that comes back after the sweep has its own end written in place of the guess, once', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const take = () => takeHold(pool, { accountId, amountMicroRub: 20n, leaseOwner: DEAD })
  const [released, kept, unsent] = [await take(), await take(), await take()]
  await markFirstOutput(pool, kept)
  await markFirstOutput(pool, unsent)
  await takeOverHolds(pool)

  const ends = [
    await settle(pool, { requestId: released, costMicroRub: 5n, usage: USAGE }),
    await settle(pool, { requestId: kept, costMicroRub: 7n, usage: USAGE }),
    await release(pool, unsent),
    await settle(pool, { requestId: released, costMicroRub: 9n, usage: USAGE }),
    await keep(pool, kept),
    await release(pool, unsent),
  ]

  expect(ends).toEqual([true, true, true, false, false, false])
  expect(await entriesOf(pool, accountId)).toEqual([
    ['credit', 100n],
    ...Array(3).fill(['hold', -20n]),
    ['release', 20n],
    ['settlement', -5n],
    ['settlement', 13n],
    ['release', 20n],
  ])
  expect(await balanceOf(pool, accountId)).toBe(88n)
  expect(await holdRow(pool, kept)).toMatchObject({ state: 'settled', cost: '7' })
})

test('settlements that race the sweep charge every hold once, before it or after', async () => {
  const accountId = await fundedAccount(pool, 10_000n)
  const requestIds = await Promise.all(
    Array.from({ length: 30 }, () =>
      takeHold(pool, { accountId, amountMicroRub: 100n, leaseOwner: DEAD }),
    ),
  )

  const [settled] = await Promise.all([
    Promise.all(
      requestIds.map((requestId) => settle(pool, { requestId, costMicroRub: 40n, usage: USAGE })),
    ),
    takeOverHolds(pool),
    takeOverHolds(pool),
  ])
  await takeOverHolds(pool)

  expect(new Set(settled)).toEqual(new Set([true]))
  expect(await balanceOf(pool, accountId)).toBe(10_000n - 30n * 40n)
})

/** A closed connection gives its lock back a moment later; PostgreSQL then lists no lock. */
async function goneFromLocks(instanceId: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Waits for the lock itself, as any second owner of the id would.
  await client.query('SELECT pg_advisory_lock($1, $2)', [0x6b6f7065, instanceId])
  const ended = once(client, 'end')
  await client.query('SELECT pg_advisory_unlock($1, $2)', [0x6b6f7065, instanceId])
  await client.end()
  await ended
}
