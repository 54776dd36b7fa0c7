import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import { RateLimitReachedError } from '../../../src/service/ledger/errors.ts'
import { acceptRequest, type RateLimit } from '../../../src/service/ledger/rate-limit.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { letTimePass } from '../let-time-pass.ts'
import { fundedAccount, takeHold } from './ledger-fixture.ts'

const LIMIT: RateLimit = { route: 'chats/completions', requestsMax: 30, windowMs: 60_000 }

let pools: [pg.Pool, pg.Pool]
let pool: pg.Pool

beforeAll(async () => {
  const connectionString = await createTestDatabase()
  pools = [new pg.Pool({ connectionString, max: 12 }), new pg.Pool({ connectionString, max: 12 })]
  pool = pools[0]
})
afterAll(() => Promise.all(pools.map((each) => each.end())))

async function acceptAtOnce(
  count: number,
  accountId: number,
  limit: RateLimit = LIMIT,
): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      acceptRequest(index % 2 === 0 ? pools[0] : pools[1], { accountId, limit }),
    ),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) expect(reason).toBeInstanceOf(RateLimitReachedError)
  return count - refused.length
}

async function retryAfterMs(sql: Sql, accountId: number, limit: RateLimit = LIMIT) {
  const refused = await acceptRequest(sql, { accountId, limit }).catch((error) => error)
  expect(refused).toBeInstanceOf(RateLimitReachedError)
  return refused.retryAfterMs
}

test.each([1])(
  'acceptRequest() lets exactly 30 of 100 racing requests of two instances through (run %i)',
  async () => {
    const accountId = await fundedAccount(pool, 0n)

    expect(await acceptAtOnce(100, accountId)).toBe(30)
    expect(await acceptAtOnce(20, accountId)).toBe(0)
  },
)

test('the window slides: a burst at its edge gets no second helping', async () => {
  const accountId = await fundedAccount(pool, 0n)
  await acceptAtOnce(10, accountId)
  await letTimePass(pool, 40_000)
  await acceptAtOnce(20, accountId)

  const atTheEdge = await acceptAtOnce(30, accountId)
  await letTimePass(pool, 20_000)
  const whenTenHaveLeft = await acceptAtOnce(30, accountId)
  await letTimePass(pool, 40_000)
  const whenTwentyHaveLeft = await acceptAtOnce(30, accountId)

  expect([atTheEdge, whenTenHaveLeft, whenTwentyHaveLeft]).toEqual([0, 10, 20])
})

test('a refusal says when the oldest leaves the window, and is not counted itself', async () => {
  const accountId = await fundedAccount(pool, 0n)
  await acceptAtOnce(1, accountId)
  await letTimePass(pool, 50_000)
  await acceptAtOnce(29, accountId)

  const waitMs = await retryAfterMs(pool, accountId)
  await letTimePass(pool, 10_000)

  expect(waitMs).toBeGreaterThan(5000)
  expect(waitMs).toBeLessThanOrEqual(10_000)
  expect(await acceptAtOnce(5, accountId)).toBe(1)
})

// Promise: The clock of the database is set back by hours
test.each([
  [30, 'each instant', 2 * 3_600_000],
  [150, 'shared instants', 2 * 3_600_000],
])(
  'a limit of %i, with %s, has nobody wait for a clock that was set back',
  async (requestsMax, _, ms) => {
    const accountId = await fundedAccount(pool, 0n)
    const limit = { ...LIMIT, requestsMax }
    await acceptAtOnce(requestsMax, accountId, limit)

    await letTimePass(pool, -ms)

    expect(await acceptAtOnce(requestsMax + 5, accountId, limit)).toBe(requestsMax)
    const waitMs = await retryAfterMs(pool, accountId, limit)
    expect(waitMs).toBeGreaterThan(50_000)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  },
)

test('a clock that was set back by a moment lets no more through, and has nobody wait for two windows', async () => {
  const accountId = await fundedAccount(pool, 0n)
  await acceptAtOnce(20, accountId)
  await letTimePass(pool, -30_000)
  await acceptAtOnce(10, accountId)

  expect(await acceptAtOnce(5, accountId)).toBe(0)
  expect(await retryAfterMs(pool, accountId)).toBeLessThanOrEqual(90_000)
  await letTimePass(pool, 89_000)
  expect(await acceptAtOnce(5, accountId)).toBe(0)
  await letTimePass(pool, 1_000)
  expect(await acceptAtOnce(40, accountId)).toBe(30)
})

test('accounts and routes have counts of their own', async () => {
  const [one, other] = [await fundedAccount(pool, 0n), await fundedAccount(pool, 0n)]
  await acceptAtOnce(30, one)

  expect(await acceptAtOnce(1, one)).toBe(0)
  expect(await acceptAtOnce(31, other)).toBe(30)
  expect(await acceptAtOnce(4, one, { ...LIMIT, route: 'callback/secret', requestsMax: 3 })).toBe(3)
})

test('a high limit slides with its window, and lowered it knows how many there were', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const high = { ...LIMIT, requestsMax: 150 }
  const ledger = withLane(pool)
  const askInBatches = async (count: number, limit: RateLimit) => {
    const asked = Array.from({ length: count }, () =>
      takeHold(ledger, { accountId, amountMicroRub: 1n, limit }),
    )
    const outcomes = await Promise.allSettled(asked)
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }
  const early = await askInBatches(60, high)
  await letTimePass(pool, 40_000)
  const late = await askInBatches(120, high)
  await letTimePass(pool, 20_000)

  const lowered = await askInBatches(5, { ...high, requestsMax: 90 })
  const justOver = await askInBatches(5, { ...high, requestsMax: 92 })
  const raised = await askInBatches(100, high)
  await letTimePass(pool, 40_000)
  const again = await askInBatches(100, LIMIT)
  await letTimePass(pool, 60_000)
  const later = await askInBatches(100, LIMIT)

  expect([early, late]).toEqual([60, 90])
  expect([lowered, justOver, raised]).toEqual([0, 2, 58])
  expect([again, later]).toEqual([0, 30])
})
