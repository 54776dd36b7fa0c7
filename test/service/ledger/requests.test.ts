import type pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { adjustBalance, setAccountState } from '../../../src/service/ledger/accounts.ts'
import { revokeApiKey } from '../../../src/service/ledger/api-keys.ts'
import { createRequestId } from '../../../src/service/ledger/holds.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import {
  addKey,
  balanceOf,
  capture,
  endTask,
  fundedAccount,
  keyIdOf,
  ledgerOf,
  markOutput,
  release,
  requestRow,
  settle,
  startTask,
  takeHold,
  toRequest,
  untilSomebodyWaits,
} from './ledger-fixture.ts'

let pool: pg.Pool
let other: pg.Pool
useLedgerPools((opened) => {
  ;({ pool, other } = opened)
})

/** An id of no process: ids of processes begin with 1. */
const DEAD = 0

afterEach(() => ledgerOf(pool).takeOver())

test('the id of a request is a UUID v7 of its time, and a time before 1970 counts as 1970', () => {
  const ids = [-1, 0x1234, 0xfedcba987654].map((atMs) => createRequestId(atMs))

  const parts = ids.map(
    (id) => /^(.{8}-.{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id)?.[1],
  )
  expect(parts).toEqual(['00000000-0000', '00000000-1234', 'fedcba98-7654'])
})

test('hold() gives a balance that affords seven to exactly seven of forty racing requests', async () => {
  const accountId = await fundedAccount(pool, 799n)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) =>
      takeHold(index % 2 === 0 ? pool : other, { accountId, amountMicroRub: 100n }),
    ),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(33)
  for (const { reason } of refused) expect(reason).toEqual(refusal('balance_too_low'))
  expect(await balanceOf(pool, accountId)).toBe(99n)
})

test('hold() asked ten times for one requestId takes it once', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const request = toRequest({ accountId, amountMicroRub: 100n })

  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => ledgerOf(pool).hold(request)),
  )

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await balanceOf(pool, accountId)).toBe(900n)
})

test('hold() takes and counts nothing for a key that is not valid, or not for the model', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const foreign = await fundedAccount(pool, 100n)
  const limit = { kind: 'chat', requestsMax: 1 } as const
  const revoked = await addKey(pool, accountId)
  await revokeApiKey(pool, revoked)
  const expired = await addKey(pool, accountId, { expiresAt: new Date('2020-01-01') })
  const narrow = await addKey(pool, accountId, { models: ['beta'] })
  const ask = (keyId: string) => takeHold(pool, { accountId, keyId, amountMicroRub: 30n, limit })

  const keys = [revoked, expired, keyIdOf(foreign), 'nobody', narrow]
  const refused = await Promise.allSettled(keys.map(ask))

  const invalid = ['invalid_key', 'invalid_key', 'invalid_key', 'invalid_key'] as const
  expect(refused).toEqual(
    [...invalid, 'model_not_allowed' as const].map((code) => ({
      status: 'rejected',
      reason: refusal(code),
    })),
  )
  await ask(keyIdOf(accountId))
  expect(await balanceOf(pool, accountId)).toBe(70n)
})

test('hold() refuses every request that begins after its key was revoked', async () => {
  const accountId = await fundedAccount(pool, 10_000n)
  const ask = () => takeHold(pool, { accountId, amountMicroRub: 100n })
  const racing = Promise.allSettled(Array.from({ length: 40 }, ask))

  await revokeApiKey(pool, keyIdOf(accountId))
  const late = await Promise.allSettled(Array.from({ length: 5 }, ask))
  const outcomes = await racing

  for (const outcome of late) expect(outcome).toMatchObject({ reason: refusal('invalid_key') })
  const taken = outcomes.filter(({ status }) => status === 'fulfilled').length
  expect(await balanceOf(pool, accountId)).toBe(10_000n - BigInt(taken) * 100n)
})

test.each([
  ['frozen', 'COMMIT', 'account_frozen'],
  ['closed', 'COMMIT', 'invalid_key'],
  ['frozen', 'ROLLBACK', undefined],
] as const)(
  'a hold waits for an account that is being %s, and after %s is judged by what it is then',
  async (state, end, code) => {
    const accountId = await fundedAccount(pool, 100n)
    const operator = await other.connect()
    await operator.query('BEGIN')
    await setAccountState(operator, { accountId, state })

    const outcome = takeHold(pool, { accountId, amountMicroRub: 30n }).catch((error) => error)
    await untilSomebodyWaits(pool)
    await operator.query(end)
    operator.release()

    const taken = await outcome
    expect(taken).toEqual(code === undefined ? expect.any(String) : refusal(code))
    expect(await balanceOf(pool, accountId)).toBe(code === undefined ? 70n : 100n)
  },
)

test('what a closed account has under way ends by its rules, and the rest can be paid out', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 30n })
  const taskId = await startTask(pool, { accountId, amountMicroRub: 40n })

  await setAccountState(pool, { accountId, state: 'closed' })
  await settle(pool, { requestId, costMicroRub: 20n })
  await endTask(pool, taskId)
  const paidOut = await adjustBalance(pool, { accountId, amountMicroRub: -80n })

  expect(paidOut).toEqual({ balanceMicroRub: 0n, isRepeat: false })
})

test('requests of other accounts pass an account that another session has locked', async () => {
  const locked = await fundedAccount(pool, 100n)
  const free = await fundedAccount(pool, 100n)
  const operator = await other.connect()
  await operator.query('BEGIN')
  await operator.query('SELECT FROM service.account WHERE id = $1 FOR UPDATE', [locked])
  const ask = (accountId: number) => takeHold(pool, { accountId, amountMicroRub: 10n })

  const waiting = [ask(locked), ask(locked)]
  await Promise.all([ask(free), ask(free), ask(free)])
  await operator.query('COMMIT')
  operator.release()
  await Promise.all(waiting)

  expect([await balanceOf(pool, locked), await balanceOf(pool, free)]).toEqual([80n, 70n])
})

test('a request that is ended from all sides at once ends exactly once', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const requestId = await takeHold(pool, { accountId, amountMicroRub: 60n })

  await Promise.all([
    release(pool, requestId),
    settle(other, { requestId, costMicroRub: 10n }),
    capture(pool, requestId),
    release(other, requestId),
    settle(pool, { requestId, costMicroRub: 20n }),
  ])

  const { cost } = await requestRow(pool, requestId)
  expect(await balanceOf(pool, accountId)).toBe(100n - BigInt(cost))
})

test('a hold that is withdrawn is refunded, and one that comes after that takes nothing', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const ask = () => toRequest({ accountId, amountMicroRub: 10n })
  const [early, late] = [ask(), ask()]
  await takeHold(pool, early)

  for (const request of [early, late, late]) await ledgerOf(pool).withdraw(request)

  await expect(takeHold(pool, late)).rejects.toMatchObject({ code: '23505' })
  expect(await balanceOf(pool, accountId)).toBe(100n)
})

test('holds and their withdrawals that race leave nothing taken', async () => {
  const accountId = await fundedAccount(pool, 1_000n)
  const requests = Array.from({ length: 30 }, () => toRequest({ accountId, amountMicroRub: 10n }))

  await Promise.all(
    requests.flatMap((request) => [
      takeHold(pool, request).catch(() => {}),
      ledgerOf(other).withdraw(request),
    ]),
  )

  expect(await balanceOf(pool, accountId)).toBe(1_000n)
})

test('many sweeps at once end each request of a dead process once, by its first output', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => fundedAccount(pool, 1000n)))
  for (const accountId of accounts) {
    const hold = { accountId, amountMicroRub: 100n, leaseOwner: DEAD }
    const requestIds = await Promise.all([1, 2, 3, 4].map(() => takeHold(pool, hold)))
    await markOutput(pool, requestIds[0] ?? '')
  }

  const sweeps = await Promise.all(
    Array.from({ length: 8 }, (_, index) => ledgerOf(index % 2 === 0 ? pool : other).takeOver()),
  )

  const sum = (of: 'released' | 'captured') => sweeps.reduce((all, each) => all + each[of], 0)
  expect([sum('released'), sum('captured')]).toEqual([9, 3])
  for (const accountId of accounts) expect(await balanceOf(pool, accountId)).toBe(900n)
})

test('a request that comes back after the sweep has its own end in place of the guess, once', async () => {
  const accountId = await fundedAccount(pool, 100n)
  const take = () => takeHold(pool, { accountId, amountMicroRub: 20n, leaseOwner: DEAD })
  const [released, captured, unsent] = [await take(), await take(), await take()]
  await markOutput(pool, captured)
  await markOutput(pool, unsent)
  await ledgerOf(other).takeOver()

  const ends = [
    await capture(pool, released),
    await settle(pool, { requestId: released, costMicroRub: 5n }),
    await settle(pool, { requestId: captured, costMicroRub: 7n }),
    await release(pool, unsent),
    await release(pool, released),
    await capture(pool, captured),
  ]

  expect(ends).toEqual([false, true, true, true, false, false])
  expect(await balanceOf(pool, accountId)).toBe(88n)
})
