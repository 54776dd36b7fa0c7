import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import type { LedgerSql } from '../../../src/service/ledger/batch/operation.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import {
  InvalidKeyError,
  ModelNotAllowedError,
  SpendLimitReachedError,
} from '../../../src/service/ledger/errors.ts'
import {
  changeApiKey,
  createApiKey,
  createProcessKey,
  listApiKeys,
  toPublicId,
} from '../../../src/service/ledger/keys/api-keys.ts'
import type { KeyTerms } from '../../../src/service/ledger/keys/key-terms.ts'
import { takeOverHolds } from '../../../src/service/ledger/take-over-holds.ts'
import { chargeTask, failTask } from '../../../src/service/ledger/task-charge.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { balanceOf, fundedAccount, ledgerFaults, takeHold, WIDE_LIMIT } from './ledger-fixture.ts'

const DEAD = 0
const WORKER = 7
const USAGE = { promptTokens: 1, completionTokens: 1 }

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url, max: 10 })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})
afterAll(() => pool.end())

async function addKey(accountId: number, terms: Partial<KeyTerms> = {}): Promise<string> {
  return toPublicId(await createApiKey(pool, accountId, terms)) ?? ''
}

async function spentOf(keyId: string): Promise<bigint | undefined> {
  const keys = await listApiKeys(pool)
  return keys.find(({ publicId }) => publicId === keyId)?.spentMicroRub
}

async function createClip(
  accountId: number,
  keyId: string,
  sql: LedgerSql = pool,
): Promise<number> {
  const taskId = await chargeTask(sql, {
    accountId,
    keyId,
    limit: WIDE_LIMIT,
    model: 'vidgen',
    amountMicroRub: 40n,
    endpoint: 'videos/vidgen-generate',
    params: {},
    label: 'vidgen-720p-5s',
  })
  await sql.query('UPDATE service.task SET lease_owner = $2 WHERE id = $1', [taskId, WORKER])
  return taskId
}

async function failClip(taskId: number, sql: LedgerSql = pool): Promise<void> {
  await failTask(sql, { taskId, leaseOwner: WORKER }, { code: 502, message: 'no' })
}

// Promise: A process dies with requests of a key under way
test('a key has spent what its holds and tasks cost in the end, and another key nothing', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const [keyId, other] = [await addKey(accountId), await addKey(accountId)]
  const [settled, released, kept] = await Promise.all(
    [100n, 200n, 300n].map((amountMicroRub) =>
      takeHold(pool, { accountId, keyId, amountMicroRub }),
    ),
  )
  const lost = await takeHold(pool, { accountId, keyId, amountMicroRub: 5n, leaseOwner: DEAD })
  const [made, failed] = [await createClip(accountId, keyId), await createClip(accountId, keyId)]
  expect(await spentOf(keyId)).toBe(685n)

  await settle(pool, { requestId: settled ?? '', costMicroRub: 7n, usage: USAGE })
  await release(pool, released ?? '')
  await keep(pool, kept ?? '')
  await failClip(failed)
  await takeOverHolds(pool)

  expect(await spentOf(keyId)).toBe(7n + 300n + 40n)
  expect(await spentOf(other)).toBe(0n)
  expect([made, lost]).toEqual([expect.any(Number), expect.any(String)])
})

test('a hold and a task keep their key, and a hold the prices of its model', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = await addKey(accountId)
  const prices = { promptMicroRubPer1m: 150_000_001n, completionMicroRubPer1m: 600_000_000n }
  const requestId = await takeHold(pool, { accountId, keyId, amountMicroRub: 1n, ...prices })
  const taskId = await createClip(accountId, keyId)

  const { rows } = await pool.query(
    `SELECT hold.key_id, prompt_micro_rub_per_1m AS prompt, completion_micro_rub_per_1m AS completion,
            upstream, task.key_id AS task_key_id
     FROM service.hold, service.task WHERE request_id = $1 AND task.id = $2`,
    [requestId, taskId],
  )

  expect(rows).toEqual([
    {
      key_id: keyId,
      prompt: '150000001',
      completion: '600000000',
      upstream: null,
      task_key_id: keyId,
    },
  ])
})

// Promise: Many requests of one key race, in several processes
test('a spend limit lets exactly seven of forty racing requests of two processes through', async () => {
  const accountId = await fundedAccount(pool, 10_000n)
  const keyId = await addKey(accountId, { spendLimitMicroRub: 799n })
  const other = new pg.Pool({ connectionString: url })

  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) =>
      takeHold(index % 2 === 0 ? pool : other, { accountId, keyId, amountMicroRub: 100n }),
    ),
  )
  await other.end()

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(33)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(SpendLimitReachedError)
  expect([await spentOf(keyId), await balanceOf(pool, accountId)]).toEqual([700n, 9300n])
})

test('a spend limit is reported with what is needed and what is spent, and gives the last of it', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = await addKey(accountId, { spendLimitMicroRub: 100n })
  await takeHold(pool, { accountId, keyId, amountMicroRub: 70n })

  const outcomes = await Promise.allSettled([
    takeHold(pool, { accountId, keyId, amountMicroRub: 31n }),
    createClip(accountId, keyId),
  ])

  const limits = { limitMicroRub: 100n, spentMicroRub: 70n }
  expect(outcomes).toMatchObject([
    { reason: { ...limits, neededMicroRub: 31n } },
    { reason: { ...limits, neededMicroRub: 40n } },
  ])
  await takeHold(pool, { accountId, keyId, amountMicroRub: 30n })
  expect(await spentOf(keyId)).toBe(100n)
})

// Promise: A key expires, or loses models or its limit, while processes remember it
test('what a hold gives back may be spent again, and a raised limit holds for the next request', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = await addKey(accountId, { spendLimitMicroRub: 100n })
  const requestId = await takeHold(pool, { accountId, keyId, amountMicroRub: 100n })
  const again = () => takeHold(pool, { accountId, keyId, amountMicroRub: 60n })
  await expect(again()).rejects.toBeInstanceOf(SpendLimitReachedError)

  await settle(pool, { requestId, costMicroRub: 40n, usage: USAGE })
  await again()
  await expect(again()).rejects.toBeInstanceOf(SpendLimitReachedError)
  await changeApiKey(pool, keyId, { spendLimitMicroRub: null })
  await again()

  expect(await spentOf(keyId)).toBe(160n)
})

// Promise: A key asks for a model that it may not use
test.each([
  ['that has expired', { expiresAt: new Date('2020-01-01') }, InvalidKeyError],
  ['of other models', { models: ['beta', 'soundgen'] }, ModelNotAllowedError],
])('a key %s takes nothing and counts nothing', async (_, terms, reason) => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = await addKey(accountId, terms)

  const outcomes = await Promise.allSettled([
    takeHold(pool, { accountId, keyId, amountMicroRub: 1n }),
    createClip(accountId, keyId),
  ])

  const refused = { status: 'rejected', reason: expect.any(reason) }
  expect(outcomes).toEqual([refused, refused])
  expect(await balanceOf(pool, accountId)).toBe(1000n)
  const { rows } = await pool.query('SELECT FROM service.rate_limit WHERE account_id = $1', [
    accountId,
  ])
  expect(rows).toEqual([])
})

test('a key of named models takes holds and tasks for those', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = await addKey(accountId, { models: ['alpha', 'vidgen'] })

  await takeHold(pool, { accountId, keyId, amountMicroRub: 1n })
  await createClip(accountId, keyId)

  expect(await spentOf(keyId)).toBe(41n)
})

// Promise: Many requests of one key race, in several processes
test.each([
  ['one by one', (sql: LedgerSql) => sql],
  ['in batches', withLane],
])(
  'spends stay exact while holds, ends, tasks, refunds and take-overs of two processes race, %s',
  async (_, open) => {
    const accounts = await Promise.all([1, 2, 3].map(() => fundedAccount(pool, 100_000n)))
    const keys = await Promise.all(
      accounts.flatMap((accountId) =>
        [1, 2].map(async () => ({ accountId, keyId: await addKey(accountId) })),
      ),
    )
    const otherPool = new pg.Pool({ connectionString: url, max: 10 })
    const [one, other] = [open(pool), open(otherPool)]

    await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const sql = index % 2 === 0 ? one : other
        const key = keys[index % keys.length] ?? { accountId: 0, keyId: '' }
        const leaseOwner = index % 3 === 0 ? DEAD : WORKER
        const requestId = randomUUID()
        await takeHold(sql, { ...key, requestId, amountMicroRub: 100n, leaseOwner })
        const clip = await createClip(key.accountId, key.keyId, sql)
        await Promise.all([
          settle(sql, { requestId, costMicroRub: BigInt(index), usage: USAGE }),
          release(other, requestId),
          failClip(clip, sql),
          index % 5 === 0 && takeOverHolds(other),
          index % 7 === 0 && createProcessKey(pool, { accountId: key.accountId, instanceId: DEAD }),
        ])
      }),
    )
    await takeOverHolds(other)
    await otherPool.end()

    const spent = await Promise.all(keys.map(({ keyId }) => spentOf(keyId)))
    const left = await Promise.all(accounts.map((id) => balanceOf(pool, id)))
    const sum = (amounts: (bigint | undefined)[]) =>
      amounts.reduce<bigint>((a, b) => a + (b ?? 0n), 0n)
    expect(sum(spent)).toBe(300_000n - sum(left))
  },
)
