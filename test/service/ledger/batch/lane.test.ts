import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BATCH_MAX } from '../../../../src/service/ledger/batch/lane.ts'
import { release, settle } from '../../../../src/service/ledger/end-hold.ts'
import { BalanceTooLowError } from '../../../../src/service/ledger/errors.ts'
import { chargeTask } from '../../../../src/service/ledger/task-charge.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import {
  balanceOf,
  fundedAccount,
  keyIdOf,
  ledgerFaults,
  takeHold,
  WIDE_LIMIT,
} from '../ledger-fixture.ts'
import { openLedger } from './open-ledger.ts'

const USAGE = { promptTokens: 1, completionTokens: 1 }

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 12 })
  pool.on('error', () => {})
})
afterAll(() => pool.end())

test('what arrives at an idle lane goes at once as its own statement, and the rest together', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const { ledger, statements } = openLedger(pool)

  const first = takeHold(ledger, { accountId, amountMicroRub: 1n })
  expect(statements).toEqual(['hold'])
  const others = Array.from({ length: 5 }, () =>
    takeHold(ledger, { accountId, amountMicroRub: 1n }),
  )
  await Promise.all([first, ...others])

  expect(statements).toEqual(['hold', 'hold 5'])
  expect(await balanceOf(pool, accountId)).toBe(994n)
})

// Promise: A request comes to a service that is idle, or busy
test('requests one after the other wait for nobody: each is its own statement', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const { ledger, statements } = openLedger(pool)

  for (let index = 0; index < 3; index += 1) {
    const requestId = await takeHold(ledger, { accountId, amountMicroRub: 10n })
    await settle(ledger, { requestId, costMicroRub: 4n, usage: USAGE })
  }

  expect(statements).toEqual(Array(3).fill(['hold', 'end']).flat())
  expect(await balanceOf(pool, accountId)).toBe(988n)
})

// Promise: A request comes to a service that is idle, or busy
test('a batch has a bound', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const { ledger, statements } = openLedger(pool)

  await Promise.all(
    Array.from({ length: 1 + 2 * BATCH_MAX }, () =>
      takeHold(ledger, { accountId, amountMicroRub: 1n }),
    ),
  )

  expect(statements).toEqual(['hold', `hold ${BATCH_MAX}`, `hold ${BATCH_MAX}`])
})

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

// Promise: One operation makes its batch fail
test('a batch that one operation makes fail is done one by one', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const { ledger, statements } = openLedger(pool)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 1n })

  const outcomes = await Promise.allSettled([
    takeHold(ledger, { accountId, amountMicroRub: 1n }),
    takeHold(ledger, { accountId, amountMicroRub: 1n }),
    takeHold(ledger, { accountId, amountMicroRub: 1n, requestId }),
    takeHold(ledger, { accountId, amountMicroRub: 1n }),
  ])

  const failed = outcomes.map(({ status }) => status === 'rejected')
  expect(failed).toEqual([false, false, true, false])
  expect(statements).toEqual(['hold', 'hold 3', ...Array(3).fill('hold')])
  expect(await balanceOf(pool, accountId)).toBe(96n)
})

test('the ends of one hold go into batches of their own, and the first one ends it', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const { ledger } = openLedger(pool)
  const requestId = await takeHold(ledger, { accountId, amountMicroRub: 50n })

  const ended = await Promise.all([
    takeHold(ledger, { accountId, amountMicroRub: 1n }),
    settle(ledger, { requestId, costMicroRub: 20n, usage: USAGE }),
    release(ledger, requestId),
    takeHold(ledger, { accountId, amountMicroRub: 1n }),
  ])

  expect(ended.slice(1, 3)).toEqual([true, false])
  expect(await balanceOf(pool, accountId)).toBe(78n)
})

test('creations of one name at once make one task', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const { ledger } = openLedger(pool)
  const charge = {
    accountId,
    keyId: keyIdOf(accountId),
    limit: WIDE_LIMIT,
    model: 'alpha',
    endpoint: 'videos/x',
    params: { prompt: 'cat' },
    label: 'clip',
    amountMicroRub: 40n,
    idempotencyKey: 'order-1',
  }

  const tasks = await Promise.all(Array.from({ length: 5 }, () => chargeTask(ledger, charge)))

  expect(new Set(tasks).size).toBe(1)
  expect(await balanceOf(pool, accountId)).toBe(960n)
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
