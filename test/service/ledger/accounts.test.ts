import type pg from 'pg'
import { expect, test } from 'vitest'
import {
  type AccountState,
  adjustBalance,
  createAccount,
  findAccount,
  findOrCreateAccount,
  setAccountState,
} from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import {
  adjustmentsOf,
  balanceOf,
  findAccountByApiKey,
  fundedAccount,
  takeHold,
} from './ledger-fixture.ts'

let pool: pg.Pool
useLedgerPools((opened) => {
  pool = opened.pool
})

test('createAccount() begins the ledger with the credit, or with nothing', async () => {
  const rich = await createAccount(pool, { name: 'rich', creditMicroRub: 5n })
  const poor = await createAccount(pool, { name: 'poor', creditMicroRub: 0n })

  expect([rich.balanceMicroRub, poor.balanceMicroRub]).toEqual([5n, 0n])
  expect(await adjustmentsOf(pool, rich.id)).toEqual([5n])
  expect(await adjustmentsOf(pool, poor.id)).toEqual([])
})

test('createAccount() gives a name once', async () => {
  await createAccount(pool, { name: 'once', creditMicroRub: 1n })

  const again = createAccount(pool, { name: 'once', creditMicroRub: 1n })

  await expect(again).rejects.toThrow('the name is taken')
})

test('findOrCreateAccount() racing for one name makes one account and credits it once', async () => {
  const account = { name: 'shared', creditMicroRub: 5n }

  const found = await Promise.all(
    Array.from({ length: 8 }, () => findOrCreateAccount(pool, account)),
  )

  expect(new Set(found.map(({ id }) => id)).size).toBe(1)
  expect(found.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await findAccount(pool, found[0]?.id ?? 0)).toMatchObject({ balanceMicroRub: 5n })
})

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

test('of twenty credits with one reference at once one is made, and the others find it', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const credit = { accountId, amountMicroRub: 7n, reference: 'at once' }

  const adjusted = await Promise.all(Array.from({ length: 20 }, () => adjustBalance(pool, credit)))

  expect(adjusted.filter((each) => each?.isRepeat === false)).toHaveLength(1)
  expect(adjusted.every((each) => each?.balanceMicroRub === 7n)).toBe(true)
  expect(await adjustmentsOf(pool, accountId)).toEqual([7n])
})

test('of credits to two accounts with one reference at once one is made, and the other refused', async () => {
  const accounts = [await fundedAccount(pool, 0n), await fundedAccount(pool, 0n)]

  const outcomes = await Promise.allSettled(
    accounts.map((accountId) =>
      adjustBalance(pool, { accountId, amountMicroRub: 7n, reference: 'of one' }),
    ),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.map(({ reason }) => reason)).toEqual([refusal('reference_reused')])
  const balances = await Promise.all(accounts.map((id) => balanceOf(pool, id)))
  expect(balances.sort()).toEqual([0n, 7n])
})

test('of two debits at once that the balance reaches for once, one is made', async () => {
  const accountId = await fundedAccount(pool, 10n)

  const outcomes = await Promise.allSettled(
    [1, 2].map(() => adjustBalance(pool, { accountId, amountMicroRub: -6n })),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  const facts = { neededMicroRub: 6n, availableMicroRub: 4n }
  expect(refused.map(({ reason }) => reason)).toEqual([refusal('balance_too_low', facts)])
  expect(await balanceOf(pool, accountId)).toBe(4n)
})

test('a frozen account spends nothing and its requests count nothing, until it is opened again', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const limit = { kind: 'chat', requestsMax: 3 } as const
  const ask = () => takeHold(pool, { accountId, amountMicroRub: 10n, limit })
  const setState = (state: AccountState) => setAccountState(pool, { accountId, state })
  await setState('frozen')

  const refused = await Promise.allSettled([1, 2, 3, 4].map(ask))
  const open = await setState('open')
  const taken = await Promise.allSettled([1, 2, 3].map(ask))

  for (const outcome of refused) {
    expect(outcome).toMatchObject({ reason: refusal('account_frozen') })
  }
  expect(open).toMatchObject({ state: 'open', balanceMicroRub: 100n })
  expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
})

test('no key opens a closed account, and closing is for good', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const apiKey = await createApiKey(pool, accountId)
  const before = await findAccountByApiKey(pool, apiKey)

  await setAccountState(pool, { accountId, state: 'closed' })
  const reopened = await setAccountState(pool, { accountId, state: 'open' })

  expect(before).toBeDefined()
  expect(reopened?.state).toBe('closed')
  expect(await findAccountByApiKey(pool, apiKey)).toBeUndefined()
  const refused = takeHold(pool, { accountId, amountMicroRub: 1n })
  await expect(refused).rejects.toEqual(refusal('invalid_key'))
})
