import type pg from 'pg'
import { expect, test } from 'vitest'
import { sumUsage, type UsageGroup } from '../../../src/service/ledger/reports.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import {
  addKey,
  balanceOf,
  capture,
  endTask,
  fundedAccount,
  ledgerOf,
  release,
  settle,
  startTask,
  takeHold,
} from './ledger-fixture.ts'

let pool: pg.Pool
useLedgerPools((opened) => {
  pool = opened.pool
})

const CREDIT = 1_000_000n

const MARCH = { from: '2026-03-01', to: '2026-03-31' }

async function usageOf(accountId: number | undefined, by: UsageGroup, timeZone = 'UTC') {
  const sums = await sumUsage(pool, { accountId, period: MARCH, timeZone, by: [by] })
  return sums.map(({ labels, ...sum }) => ({
    group: labels[0]?.value,
    name: labels[0]?.name,
    ...sum,
  }))
}

interface Chat {
  accountId: number
  at: string
  keyId?: string
  model?: string
}

/** A chat that began then: 10 tokens in, 20 out, 40 micro-roubles held and 7 charged. */
async function chat({ at, ...request }: Chat, end: 'settled' | 'none' = 'settled') {
  const requestId = await takeHold(pool, { ...request, amountMicroRub: 40n })
  await pool.query('UPDATE service.request SET created_at = $2 WHERE id = $1', [requestId, at])
  const usage = { promptTokens: 10, completionTokens: 20 }
  if (end === 'settled') await settle(pool, { requestId, costMicroRub: 7n, usage })
  return requestId
}

async function video(accountId: number, keyId: string, at: string): Promise<number> {
  const id = await startTask(pool, { accountId, keyId, amountMicroRub: 500n })
  await pool.query('UPDATE service.task SET created_at = $2 WHERE id = $1', [id, at])
  return id
}

test('usage is what left the balance, however requests ended and while they have not', async () => {
  const accountId = await fundedAccount(pool, CREDIT)
  const keyId = await addKey(pool, accountId, { name: 'shop' })
  const at = '2026-03-05T12:00:00Z'
  await chat({ accountId, keyId, at })
  await capture(pool, await chat({ accountId, keyId, at }, 'none'))
  await release(pool, await chat({ accountId, keyId, at }, 'none'))
  await chat({ accountId, keyId, at }, 'none')
  await video(accountId, keyId, at)
  await endTask(pool, await video(accountId, keyId, at))

  const [used, ...others] = await usageOf(accountId, 'account')

  expect(others).toEqual([])
  expect(used).toEqual({
    group: String(accountId),
    name: expect.any(String),
    requests: 6,
    promptTokens: 10,
    completionTokens: 20,
    costMicroRub: CREDIT - (await balanceOf(pool, accountId)),
    upstreamCostMicroRub: null,
    uncostedMicroRub: CREDIT - (await balanceOf(pool, accountId)),
    marginMicroRub: null,
    reportedCostMicroRub: null,
    comparedMicroRub: 0n,
  })
})

test('turnover is what upstreams take, what is left of it, and that of which neither is known', async () => {
  const accountId = await fundedAccount(pool, CREDIT)
  const keyId = await addKey(pool, accountId, { name: 'shop' })
  const usage = { promptTokens: 10, completionTokens: 20 }
  const settleAt = async (
    model: string,
    at: string,
    costs: { costMicroRub: bigint; upstreamCostMicroRub?: bigint },
  ) =>
    settle(pool, {
      requestId: await chat({ accountId, keyId, at, model }, 'none'),
      usage,
      ...costs,
    })
  const [first, second] = ['2026-03-15T12:00:00Z', '2026-03-16T12:00:00Z']
  await settleAt('alpha', first, { costMicroRub: 30n, upstreamCostMicroRub: 11n })
  await settleAt('alpha', second, { costMicroRub: 5n, upstreamCostMicroRub: 9n })
  await settleAt('beta', first, { costMicroRub: 3n })
  await settleAt('free', first, { costMicroRub: 3n, upstreamCostMicroRub: 0n })
  const broken = await chat({ accountId, keyId, at: second, model: 'alpha' }, 'none')
  await ledgerOf(pool).end({
    ...{ accountId, requestId: broken, state: 'captured', reason: 'broken' },
    upstreamCostMicroRub: 15n,
  })
  await release(pool, await chat({ accountId, keyId, at: second, model: 'beta' }, 'none'))
  await video(accountId, keyId, first)

  const sums = await Promise.all(
    (['model', 'day'] as const).map((by) =>
      sumUsage(pool, { accountId, period: MARCH, timeZone: 'UTC', by: [by] }),
    ),
  )

  const [models, days] = sums.map((some) =>
    some.map((sum) => [
      ...[sum.labels[0]?.value, sum.costMicroRub, sum.upstreamCostMicroRub],
      ...[sum.marginMicroRub, sum.uncostedMicroRub],
    ]),
  )
  expect(models).toEqual([
    ['vidgen', 500n, null, null, 500n],
    ['alpha', 75n, 35n, 40n, 0n],
    ['beta', 3n, null, null, 3n],
    ['free', 3n, 0n, 3n, 0n],
  ])
  expect(days).toEqual([
    ['2026-03-15', 536n, 11n, 22n, 503n],
    ['2026-03-16', 45n, 24n, 21n, 0n],
  ])
  for (const sum of sums.flat()) {
    const { upstreamCostMicroRub, uncostedMicroRub, costMicroRub } = sum
    const parts = [upstreamCostMicroRub ?? 0n, sum.marginMicroRub ?? 0n, uncostedMicroRub]
    expect(parts.reduce((total, part) => total + part, 0n)).toBe(costMicroRub)
  }
})

test('a request counts on the day of the time zone on which it began', async () => {
  const accountId = await fundedAccount(pool, CREDIT)
  for (const at of ['2026-02-28T20:59:59Z', '2026-02-28T21:00:00Z', '2026-03-31T20:59:59Z']) {
    await chat({ accountId, at })
  }
  await chat({ accountId, at: '2026-03-31T21:00:00Z' })

  const [moscow, utc] = [
    await usageOf(accountId, 'day', 'Europe/Moscow'),
    await usageOf(accountId, 'day'),
  ]

  expect(moscow.map(({ group, requests }) => [group, requests])).toEqual([
    ['2026-03-01', 1],
    ['2026-03-31', 1],
  ])
  expect(utc.map(({ group, requests }) => [group, requests])).toEqual([['2026-03-31', 2]])
})
