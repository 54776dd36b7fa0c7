import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { release, settle } from '../../../../src/service/ledger/end-hold.ts'
import { BalanceTooLowError } from '../../../../src/service/ledger/errors.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { fundedAccount, ledgerFaults, takeHold, WIDE_LIMIT } from '../ledger-fixture.ts'
import { openLedger } from './open-ledger.ts'

const USAGE = { promptTokens: 1, completionTokens: 1 }

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 12 })
  pool.on('error', () => {})
})
afterAll(() => pool.end())

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
