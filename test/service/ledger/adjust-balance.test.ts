import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { adjustBalance } from '../../../src/service/ledger/adjust-balance.ts'
import { BalanceTooLowError, ReferenceReusedError } from '../../../src/service/ledger/errors.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { balanceOf, entriesOf, fundedAccount, ledgerFaults } from './ledger-fixture.ts'

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 20 })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})
afterAll(() => pool.end())

test('adjustBalance() adds up under races, and knows when there is no account', async () => {
  const id = await fundedAccount(pool, 0n)

  await Promise.all(
    Array.from({ length: 20 }, () =>
      adjustBalance(pool, { accountId: id, amountMicroRub: 10_000_000_000_000n }),
    ),
  )
  const nobody = await adjustBalance(pool, { accountId: 999_999, amountMicroRub: 1n })

  expect(await balanceOf(pool, id)).toBe(200_000_000_000_000n)
  expect(nobody).toBeUndefined()
})

// Promise: A script repeats a credit, or two processes make it at once
test('of twenty credits with one reference at once one is made, and the others find it', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const credit = { accountId, amountMicroRub: 7n, reference: 'at once' }

  const adjusted = await Promise.all(Array.from({ length: 20 }, () => adjustBalance(pool, credit)))

  expect(adjusted.filter((each) => each?.isRepeat === false)).toHaveLength(1)
  expect(adjusted.every((each) => each?.balanceMicroRub === 7n)).toBe(true)
  expect(await entriesOf(pool, accountId)).toEqual([['credit', 7n]])
})

// Promise: A script repeats a credit, or two processes make it at once
test('of credits to two accounts with one reference at once one is made, and the other refused', async () => {
  const accounts = [await fundedAccount(pool, 0n), await fundedAccount(pool, 0n)]

  const outcomes = await Promise.allSettled(
    accounts.map((accountId) =>
      adjustBalance(pool, { accountId, amountMicroRub: 7n, reference: 'of one' }),
    ),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.map(({ reason }) => reason)).toEqual([expect.any(ReferenceReusedError)])
  const balances = await Promise.all(accounts.map((id) => balanceOf(pool, id)))
  expect(balances.sort()).toEqual([0n, 7n])
})

test('of two debits at once that the balance reaches for once, one is made', async () => {
  const accountId = await fundedAccount(pool, 10n)

  const outcomes = await Promise.allSettled(
    [1, 2].map(() => adjustBalance(pool, { accountId, amountMicroRub: -6n })),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.map(({ reason }) => reason)).toEqual([expect.any(BalanceTooLowError)])
  expect(refused[0]?.reason).toMatchObject({ neededMicroRub: 6n, availableMicroRub: 4n })
  expect(await balanceOf(pool, accountId)).toBe(4n)
})
