import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { adjustBalance } from '../../../src/service/ledger/adjust-balance.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import {
  BalanceTooLowError,
  InvalidKeyError,
  RateLimitReachedError,
} from '../../../src/service/ledger/errors.ts'
import { markFirstOutput, withdrawHold } from '../../../src/service/ledger/hold.ts'
import {
  createApiKey,
  revokeApiKey,
  toPublicId,
} from '../../../src/service/ledger/keys/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  balanceOf,
  entriesOf,
  fundedAccount,
  holdRow,
  keyIdOf,
  ledgerFaults,
  takeHold,
  toRequest,
} from './ledger-fixture.ts'

const LIMIT = { route: 'chats/completions', requestsMax: 30, windowMs: 60_000 }

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

test('hold() takes the estimate from the balance and writes its entry', async () => {
  const accountId = await fundedAccount(pool, 100n)

  await takeHold(pool, { accountId, amountMicroRub: 30n })

  expect(await balanceOf(pool, accountId)).toBe(70n)
  expect(await entriesOf(pool, accountId)).toEqual([
    ['credit', 100n],
    ['hold', -30n],
  ])
})

test('hold() gives a balance that affords seven to exactly seven of forty racing requests', async () => {
  const accountId = await fundedAccount(pool, 799n)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, () => takeHold(pool, { accountId, amountMicroRub: 100n })),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(33)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(BalanceTooLowError)
  expect(await balanceOf(pool, accountId)).toBe(99n)
})

test('hold() counts the requests that the balance does not reach for', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const ask = () => takeHold(pool, { accountId, amountMicroRub: 1n, limit: LIMIT })

  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, ask))

  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ reason: expect.any(BalanceTooLowError) })
  }
  await expect(ask()).rejects.toBeInstanceOf(RateLimitReachedError)
})

test('hold() waits for credits and settlements of its account, and takes from what they leave', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const open = await Promise.all(
    Array.from({ length: 10 }, () => takeHold(pool, { accountId, amountMicroRub: 100n })),
  )
  const usage = { promptTokens: 1, completionTokens: 1 }

  const outcomes = await Promise.allSettled(
    open.flatMap((requestId) => [
      settle(pool, { requestId, costMicroRub: 40n, usage }),
      adjustBalance(pool, { accountId, amountMicroRub: 40n }),
      takeHold(pool, { accountId, amountMicroRub: 60n }),
      takeHold(pool, { accountId, amountMicroRub: 60n, limit: LIMIT }),
    ]),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) expect(reason).toBeInstanceOf(BalanceTooLowError)
  const taken = 20 - refused.length
  expect(await balanceOf(pool, accountId)).toBe(1000n - BigInt(taken) * 60n)
})

test('hold() says how much was needed and how much is there, and takes nothing', async () => {
  const accountId = await fundedAccount(pool, 99n)

  const refused = takeHold(pool, { accountId, amountMicroRub: 100n })

  await expect(refused).rejects.toMatchObject({ neededMicroRub: 100n, availableMicroRub: 99n })
  expect(await entriesOf(pool, accountId)).toEqual([['credit', 99n]])
})

test('hold() asked ten times for one requestId takes and counts it once', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const requestId = randomUUID()
  const limit = { ...LIMIT, requestsMax: 2 }
  const ask = () => takeHold(pool, { requestId, accountId, amountMicroRub: 100n, limit })

  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, ask))
  await release(pool, requestId)

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(ask()).rejects.toThrow(/unique constraint "(hold_pkey|entry_hold_id_kind_key)"/)
  expect(await balanceOf(pool, accountId)).toBe(1000n)
  await takeHold(pool, { accountId, amountMicroRub: 100n, limit })
  expect(await balanceOf(pool, accountId)).toBe(900n)
})

test('hold() takes and counts nothing for a key that is revoked or of another account', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const other = await fundedAccount(pool, 100n)
  const limit = { ...LIMIT, requestsMax: 1 }
  const ask = (keyId: string) => takeHold(pool, { accountId, keyId, amountMicroRub: 30n, limit })
  const revoked = toPublicId(await createApiKey(pool, accountId)) ?? ''
  await revokeApiKey(pool, revoked)

  const refused = await Promise.allSettled([revoked, keyIdOf(other), 'nobody'].map(ask))

  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: expect.any(InvalidKeyError) })
  expect(await balanceOf(pool, accountId)).toBe(100n)
  await ask(keyIdOf(accountId))
  expect(await balanceOf(pool, accountId)).toBe(70n)
})

test('settle() returns what was held too much', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 80n })

  const settled = await settle(pool, {
    requestId,
    costMicroRub: 25n,
    usage: { promptTokens: 3, completionTokens: 4 },
  })

  expect(settled).toBe(true)
  expect(await balanceOf(pool, accountId)).toBe(75n)
  expect(await holdRow(pool, requestId)).toMatchObject({
    state: 'settled',
    cost: '25',
    prompt_tokens: 3,
    completion_tokens: 4,
  })
})

test('settle() above the hold charges the rest, even below zero', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 100n })

  await settle(pool, {
    requestId,
    costMicroRub: 130n,
    usage: { promptTokens: 3, completionTokens: 4 },
  })

  expect(await balanceOf(pool, accountId)).toBe(-30n)
  expect(await entriesOf(pool, accountId)).toEqual([
    ['credit', 100n],
    ['hold', -100n],
    ['settlement', -30n],
  ])
})

test('keep() leaves the estimate charged and moves nothing', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 60n })

  await keep(pool, requestId)

  expect(await balanceOf(pool, accountId)).toBe(40n)
  expect(await holdRow(pool, requestId)).toMatchObject({ state: 'kept', cost: '60' })
})

test('a hold that is ended from all sides at once ends exactly once', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 60n })
  const usage = { promptTokens: 1, completionTokens: 1 }

  const ends = await Promise.all([
    release(pool, requestId),
    settle(pool, { requestId, costMicroRub: 10n, usage }),
    keep(pool, requestId),
    release(pool, requestId),
    settle(pool, { requestId, costMicroRub: 20n, usage }),
  ])

  expect(ends.filter((ended) => ended)).toHaveLength(1)
  const { state, cost } = await holdRow(pool, requestId)
  expect(await balanceOf(pool, accountId)).toBe(100n - BigInt(cost))
  expect(['released', 'settled', 'kept']).toContain(state)
})

test('markFirstOutput() refuses once the hold has ended', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 60n })

  const open = await markFirstOutput(pool, requestId)
  await release(pool, requestId)
  const ended = await markFirstOutput(pool, requestId)

  expect({ open, ended }).toEqual({ open: true, ended: false })
})

// Promise: The database is away while an answer begins or ends
test('a hold that is withdrawn is given back, and one that comes after that takes nothing', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const ask = () => toRequest({ accountId, amountMicroRub: 10n })
  const [early, late] = [ask(), ask()]
  await takeHold(pool, early)

  await withdrawHold(pool, early)
  await withdrawHold(pool, late)
  await withdrawHold(pool, late)

  await expect(takeHold(pool, late)).rejects.toMatchObject({ code: '23505' })
  expect(await balanceOf(pool, accountId)).toBe(100n)
  expect(await holdRow(pool, early.requestId)).toMatchObject({ state: 'released', amount: '10' })
  expect(await holdRow(pool, late.requestId)).toMatchObject({ state: 'released', amount: '0' })
})

test('holds and their withdrawals that race leave nothing taken', async () => {
  const accountId = await fundedAccount(pool, 1_000n)
  const requests = Array.from({ length: 30 }, () => toRequest({ accountId, amountMicroRub: 10n }))

  await Promise.all(
    requests.flatMap((request) => [
      takeHold(pool, request).catch(() => {}),
      withdrawHold(pool, request),
    ]),
  )

  expect(await balanceOf(pool, accountId)).toBe(1_000n)
})
