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
  return await sumUsage(pool, { accountId, period: MARCH, timeZone, by: [by] })
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
    account: accountId,
    accountName: expect.any(String),
    requests: 6,
    promptTokens: 10,
    completionTokens: 20,
    costMicroRub: CREDIT - (await balanceOf(pool, accountId)),
    reportedCostMicroRub: null,
    comparedMicroRub: 0n,
  })
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

  expect(moscow.map(({ day, requests }) => [day, requests])).toEqual([
    ['2026-03-01', 1],
    ['2026-03-31', 1],
  ])
  expect(utc.map(({ day, requests }) => [day, requests])).toEqual([['2026-03-31', 2]])
})
