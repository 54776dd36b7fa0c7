import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RateLimitReachedError } from '../../../src/service/ledger/errors.ts'
import {
  dropOwnLimits,
  readOwnLimits,
  setOwnLimits,
} from '../../../src/service/ledger/own-limits.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { letTimePass } from '../let-time-pass.ts'
import { fundedAccount, takeHold } from './ledger-fixture.ts'

const ROUTE = 'chats/completions'
const LIMIT = { route: ROUTE, requestsMax: 30, windowMs: 60_000 }

let pools: [pg.Pool, pg.Pool]
let pool: pg.Pool

beforeAll(async () => {
  const connectionString = await createTestDatabase()
  pools = [new pg.Pool({ connectionString, max: 12 }), new pg.Pool({ connectionString, max: 12 })]
  pool = pools[0]
})
afterAll(() => Promise.all(pools.map((each) => each.end())))

async function askAtOnce(count: number, accountId: number): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      takeHold(index % 2 === 0 ? pools[0] : pools[1], {
        accountId,
        amountMicroRub: 1n,
        limit: LIMIT,
      }),
    ),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) expect(reason).toBeInstanceOf(RateLimitReachedError)
  return count - refused.length
}

// Promise: A limit of one account is changed while it asks
test('an account with a limit of its own gets exactly that much through, others what all get', async () => {
  const [own, other] = [await fundedAccount(pool, 1000n), await fundedAccount(pool, 1000n)]
  await setOwnLimits(pool, own, new Map([[ROUTE, 60]]))

  expect(await askAtOnce(100, own)).toBe(60)
  expect(await askAtOnce(100, other)).toBe(30)
  expect(await readOwnLimits(pool, own)).toEqual(new Map([[ROUTE, 60]]))
  expect(await readOwnLimits(pool, other)).toEqual(new Map())
})

// Promise: A limit of one account is changed while it asks
test('a limit counts from the next request on: raised, lowered and taken back', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const let30 = await askAtOnce(31, accountId)

  await setOwnLimits(pool, accountId, new Map([[ROUTE, 40]]))
  const raised = await askAtOnce(20, accountId)
  await setOwnLimits(pool, accountId, new Map([[ROUTE, 5]]))
  const lowered = await askAtOnce(10, accountId)
  await letTimePass(pool, 60_000)
  const later = await askAtOnce(10, accountId)
  await dropOwnLimits(pool, accountId)
  const takenBack = await askAtOnce(40, accountId)

  expect([let30, raised, lowered, later, takenBack]).toEqual([30, 10, 0, 5, 25])
})
