import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import { RateLimitReachedError } from '../../../src/service/ledger/errors.ts'
import { type Held, hold } from '../../../src/service/ledger/hold.ts'
import { createApiKey, toPublicId } from '../../../src/service/ledger/keys/api-keys.ts'
import { keyLimit, readStandings } from '../../../src/service/ledger/rate-limit.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount, ledgerFaults, toRequest } from './ledger-fixture.ts'

const CHATS = { route: 'chats/completions', requestsMax: 30, windowMs: 60_000 }

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 8 })
})
afterAll(() => pool.end())

async function openKeys(rates: readonly (number | null)[], limit = CHATS) {
  const accountId = await fundedAccount(pool, 1_000_000n)
  const keyIds = await Promise.all(
    rates.map(async (requestsPerMinute) =>
      String(toPublicId(await createApiKey(pool, accountId, { requestsPerMinute }))),
    ),
  )
  const ask = (index: number, sql = withLane(pool)) =>
    hold(sql, toRequest({ accountId, keyId: keyIds[index] ?? '', limit, amountMicroRub: 1n }))
  return { accountId, keyIds, ask, left }

  async function left(): Promise<(number | undefined)[]> {
    const limits = [limit, ...keyIds.map((keyId, index) => keyLimit(keyId, rates[index] ?? 1))]
    const standings = await readStandings(pool, { accountId, limits })
    return limits.map(({ route }) => standings.get(route)?.requestsLeft)
  }
}

// Promise: A key asks more often than its own rate allows
test('a key asks as often as its rate allows; what is refused counts towards nothing, and other keys go on', async () => {
  const { ask, left } = await openKeys([2, null])

  const held = [await ask(0), await ask(0)]
  const refused = await Promise.all([1, 2, 3].map(() => ask(0).catch((error: unknown) => error)))
  const other = await ask(1)

  const leftOf = ({ standing }: Held) => standing?.requestsLeft
  expect(held.map(leftOf)).toEqual([1, 0])
  expect(held[0]?.standing).toEqual({ requestsMax: 2, requestsLeft: 1, resetMs: 60_000 })
  for (const error of refused) {
    expect(error).toBeInstanceOf(RateLimitReachedError)
    const { retryAfterMs, standing } = error as RateLimitReachedError
    expect(standing).toMatchObject({ requestsMax: 2, requestsLeft: 0 })
    expect(retryAfterMs).toBeGreaterThan(50_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  }
  expect(leftOf(other)).toBe(27)
  expect((await left()).slice(0, 2)).toEqual([27, 0])
})

// Promise: A key asks more often than its own rate allows
test('what the limit of the account refuses does not count towards the rate of a key', async () => {
  const { ask, left } = await openKeys([5, null], { ...CHATS, requestsMax: 2 })

  const held = [await ask(0), await ask(1)]
  const refused = await ask(0).catch((error: unknown) => error)

  // The nearer limit is told.
  expect(held.map(({ standing }) => standing)).toMatchObject([
    { requestsMax: 2, requestsLeft: 1 },
    { requestsMax: 2, requestsLeft: 0 },
  ])
  expect(refused).toMatchObject({ standing: { requestsMax: 2, requestsLeft: 0 } })
  expect((await left()).slice(0, 2)).toEqual([0, 4])
})

// Promise: A key asks more often than its own rate allows
test('of racing requests of several keys each has what its rate allows, in one process and in several', async () => {
  for (const ledgers of [1, 3]) {
    const { ask, left } = await openKeys([3, 7, null])
    const processes = Array.from({ length: ledgers }, () => withLane(pool))

    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, index) => {
        await ask(index % 3, processes[index % ledgers])
        return index % 3
      }),
    )

    const accepted = outcomes.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const counts = [0, 1, 2].map((key) => accepted.filter((each) => each === key).length)
    // In a race over several a chat that its key's rate refuses may count towards the account's limit.
    const isExact = ledgers === 1
    expect(counts[0]).toBeLessThanOrEqual(3)
    expect(counts[1]).toBeLessThanOrEqual(7)
    expect(accepted.length).toBeLessThanOrEqual(30)
    if (isExact) expect(counts).toEqual([3, 7, 20])
    expect((await left())[0]).toBe(0)
  }
  expect(await ledgerFaults(pool)).toEqual([])
})
