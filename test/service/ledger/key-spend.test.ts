import type pg from 'pg'
import { expect, test } from 'vitest'
import { changeApiKey, findApiKey, type KeyTerms } from '../../../src/service/ledger/api-keys.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import { addKey, balanceOf, fundedAccount, settle, startTask, takeHold } from './ledger-fixture.ts'

let pool: pg.Pool
let other: pg.Pool
useLedgerPools((opened) => {
  ;({ pool, other } = opened)
})

const CREDIT = 1_000_000n

async function openKey(terms: Partial<KeyTerms>) {
  const accountId = await fundedAccount(pool, CREDIT)
  const keyId = await addKey(pool, accountId, terms)
  return {
    accountId,
    keyId,
    spend: (amountMicroRub: bigint, from = pool) =>
      takeHold(from, { accountId, keyId, amountMicroRub, leaseOwner: 0 }),
    order: () => startTask(pool, { accountId, keyId, amountMicroRub: 40n }),
    spent: async () => (await findApiKey(pool, keyId))?.spentMicroRub,
  }
}

test('a spend limit lets exactly seven of forty racing requests of two processes through', async () => {
  const key = await openKey({ spendLimitMicroRub: 799n })

  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => key.spend(100n, index % 2 === 0 ? pool : other)),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(33)
  for (const { reason } of refused) expect(reason).toEqual(refusal('spend_limit_reached'))
  expect([await key.spent(), await balanceOf(pool, key.accountId)]).toEqual([700n, CREDIT - 700n])
})

test('a spend limit is reported with what is needed and what is spent, and gives the last of it', async () => {
  const key = await openKey({ spendLimitMicroRub: 100n })
  await key.spend(70n)

  const outcomes = await Promise.allSettled([key.spend(31n), key.order()])

  const limits = { limitMicroRub: 100n, leftMicroRub: 30n }
  expect(outcomes).toMatchObject([
    { reason: refusal('spend_limit_reached', { ...limits, neededMicroRub: 31n }) },
    { reason: refusal('spend_limit_reached', { ...limits, neededMicroRub: 40n }) },
  ])
  await key.spend(30n)
  expect(await key.spent()).toBe(100n)
})

test('a limit that is set, raised or taken away counts from the next request on', async () => {
  const key = await openKey({})
  const first = await key.spend(100n)
  await changeApiKey(pool, key.keyId, { spendLimitMicroRub: 120n })
  await expect(key.spend(21n)).rejects.toEqual(refusal('spend_limit_reached'))

  await settle(pool, { requestId: first, costMicroRub: 40n })
  await key.spend(80n)
  await expect(key.spend(1n)).rejects.toEqual(refusal('spend_limit_reached'))
  await changeApiKey(pool, key.keyId, { spendLimitMicroRub: null })
  await key.spend(60n)

  expect(await key.spent()).toBe(180n)
})

test('a limit that is set while requests race counts each of them', async () => {
  const key = await openKey({})

  await Promise.all([
    ...Array.from({ length: 40 }, async (_, index) => {
      const process = index % 2 === 0 ? pool : other
      const requestId = await key.spend(10n, process)
      await settle(process, { requestId, costMicroRub: 3n })
    }),
    changeApiKey(pool, key.keyId, { spendLimitMicroRub: 1000n }),
  ])

  expect(await key.spent()).toBe(120n)
})

test('a request of a limited key may cost more than 2,147 roubles', async () => {
  const amountMicroRub = 3_000_000_000n
  const accountId = await fundedAccount(pool, amountMicroRub)
  const keyId = await addKey(pool, accountId, { spendLimitMicroRub: amountMicroRub })

  await takeHold(pool, { accountId, keyId, amountMicroRub })

  expect((await findApiKey(pool, keyId))?.spentMicroRub).toBe(amountMicroRub)
})
