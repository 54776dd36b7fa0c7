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
  findApiKey,
  listApiKeys,
  toPublicId,
} from '../../../src/service/ledger/keys/api-keys.ts'
import type { KeyTerms } from '../../../src/service/ledger/keys/key-terms.ts'
import { takeOverHolds } from '../../../src/service/ledger/take-over-holds.ts'
import { chargeTask, failTask } from '../../../src/service/ledger/task-charge.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  balanceOf,
  createRandom,
  fundedAccount,
  ledgerFaults,
  takeHold,
  WIDE_LIMIT,
} from './ledger-fixture.ts'

const MOSCOW = { unit: 'day', timeZone: 'Europe/Moscow' } as const
const MONTH = { unit: 'month', timeZone: 'Europe/Moscow' } as const
const CREDIT = 1_000_000n
const USAGE = { promptTokens: 1, completionTokens: 1 }

let pool: pg.Pool

afterAll(() => pool.end())

async function openKey(terms: Partial<KeyTerms>) {
  const accountId = await fundedAccount(pool, CREDIT)
  const keyId = toPublicId(await createApiKey(pool, accountId, terms)) ?? ''
  const spend = (amountMicroRub: bigint, sql = withLane(pool)) =>
    takeHold(sql, { accountId, keyId, amountMicroRub })
  const counted = async () => (await findApiKey(pool, keyId))?.countedMicroRub
  return { accountId, keyId, spend, counted, passDays }

  async function passDays(days: number): Promise<void> {
    const back = `- ${days} * interval '1 day'`
    await pool.query(
      `UPDATE service.api_key SET period_began_at = period_began_at ${back} WHERE account_id = $1`,
      [accountId],
    )
    for (const table of ['hold', 'task']) {
      await pool.query(
        `UPDATE service.${table} SET created_at = created_at ${back} WHERE account_id = $1`,
        [accountId],
      )
    }
  }
}

// Promise: The budget of a key begins again
test.each([
  ['day', MOSCOW, 1],
  ['month', MONTH, 31],
] as const)('a budget of a %s is spent once, and is whole again with the next', async (...row) => {
  const [, spendPeriod, days] = row
  const key = await openKey({ spendLimitMicroRub: 1000n, spendPeriod })
  await settle(pool, { requestId: await key.spend(900n), costMicroRub: 700n, usage: USAGE })
  await key.spend(300n)

  const refused = await key.spend(1n).catch((error: unknown) => error)
  await key.passDays(days)
  const renewed = await key.counted()
  await key.spend(1000n)

  expect(refused).toBeInstanceOf(SpendLimitReachedError)
  expect(refused).toMatchObject({ limitMicroRub: 1000n, spentMicroRub: 1000n })
  expect((refused as SpendLimitReachedError).renewsAt).toEqual(await readRenewal(spendPeriod))
  expect(renewed).toBe(0n)
  expect(await key.counted()).toBe(1000n)
  await expect(key.spend(1n)).rejects.toThrow(SpendLimitReachedError)
  expect(await balanceOf(pool, key.accountId)).toBe(CREDIT - 2000n)
  expect((await findApiKey(pool, key.keyId))?.spentMicroRub).toBe(2000n)
  expect(await ledgerFaults(pool)).toEqual([])
})

// Promise: The budget of a key begins again
test('what began before the period gives nothing back to it, and costs it nothing', async () => {
  const key = await openKey({ spendLimitMicroRub: 1000n, spendPeriod: MOSCOW })
  const [settled, released, above, kept] = [
    await key.spend(100n),
    await key.spend(100n),
    await key.spend(100n),
    await key.spend(100n),
  ]
  const taskId = await chargeTask(pool, {
    ...{ accountId: key.accountId, keyId: key.keyId, limit: WIDE_LIMIT, model: 'vidgen' },
    ...{ endpoint: 'videos/x', params: {}, label: 'vidgen', amountMicroRub: 100n },
  })
  await pool.query('UPDATE service.task SET lease_owner = 7 WHERE id = $1', [taskId])
  await key.spend(100n)
  await key.passDays(1)
  const now = await key.spend(500n)

  await settle(pool, { requestId: now, costMicroRub: 400n, usage: USAGE })
  await settle(pool, { requestId: settled, costMicroRub: 10n, usage: USAGE })
  await settle(pool, { requestId: above, costMicroRub: 5000n, usage: USAGE })
  await release(pool, released)
  await keep(pool, kept)
  await takeOverHolds(pool)
  await failTask(pool, { taskId, leaseOwner: 7 }, { code: 502, message: 'x' })

  expect(await key.counted()).toBe(400n)
  expect((await findApiKey(pool, key.keyId))?.spentMicroRub).toBe(400n + 10n + 5000n + 100n)
  await key.spend(600n)
  await expect(key.spend(1n)).rejects.toThrow(SpendLimitReachedError)
  expect(await ledgerFaults(pool)).toEqual([])
})

test('a period that is set begins at once with nothing spent; without one all that was spent counts again', async () => {
  const key = await openKey({ spendLimitMicroRub: 1000n })
  const before = await key.spend(800n)
  await changeApiKey(pool, key.keyId, { spendPeriod: MONTH })
  await key.spend(900n)

  await release(pool, before)
  const inPeriod = await key.counted()
  await changeApiKey(pool, key.keyId, { spendPeriod: null })

  expect(inPeriod).toBe(900n)
  expect(await key.counted()).toBe(900n)
  await expect(key.spend(101n)).rejects.toThrow(SpendLimitReachedError)
  await key.spend(100n)
})

// Promise: The clock of the database is set back by hours
test.each([['an hour ahead spends no budget twice', "now() + interval '1 hour'", 1000n]])(
  'a period whose beginning is %s',
  async (_, beganAt, counted) => {
    const key = await openKey({ spendLimitMicroRub: 1000n, spendPeriod: MOSCOW })
    await key.spend(1000n)
    await pool.query(
      `UPDATE service.api_key SET period_began_at = ${beganAt} WHERE public_id = $1`,
      [key.keyId],
    )

    expect(await key.counted()).toBe(counted)
  },
)

test('racing requests spend a budget to the last micro-rouble, and no more, over two processes', async () => {
  const key = await openKey({ spendLimitMicroRub: 1000n, spendPeriod: MOSCOW })
  await key.spend(1000n)
  await key.passDays(1)
  const processes = [withLane(pool), withLane(pool)]

  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) => key.spend(37n, processes[index % 2])),
  )

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(27)
  expect(await key.counted()).toBe(999n)
  expect(await ledgerFaults(pool)).toEqual([])
})

// Promise: The budget of a key begins again
test.each([42])(
  'whatever comes and ends across periods, the count is that of the requests that began in this one (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const limit = 2000n
    const key = await openKey({ spendLimitMicroRub: limit, spendPeriod: MOSCOW })
    let period = 0
    const requests: {
      requestId: string
      period: number
      held: bigint
      cost: bigint | undefined
    }[] = []
    const countOf = () =>
      requests
        .filter((request) => request.period === period)
        .reduce((sum, { held, cost }) => sum + (cost ?? held), 0n)

    for (let step = 0; step < 120; step += 1) {
      const open = requests.filter(({ cost }) => cost === undefined)
      const one = open[random(Math.max(1, open.length))]
      const action = random(10)
      if (action === 0) {
        await key.passDays(1)
        period += 1
      } else if (action < 6 || one === undefined) {
        const held = BigInt(random(500))
        const isFit = countOf() + held <= limit
        const requestId = await key.spend(held).catch(() => undefined)
        expect({ step, isTaken: requestId !== undefined }).toEqual({ step, isTaken: isFit })
        if (requestId !== undefined) requests.push({ requestId, period, held, cost: undefined })
      } else {
        one.cost = action === 6 ? 0n : BigInt(random(700))
        const { requestId, cost } = one
        if (action === 6) await release(pool, requestId)
        else await settle(pool, { requestId, costMicroRub: cost, usage: USAGE })
      }
      expect({ step, counted: await key.counted() }).toEqual({ step, counted: countOf() })
    }
    const spent = requests.reduce((sum, { held, cost }) => sum + (cost ?? held), 0n)
    expect((await findApiKey(pool, key.keyId))?.spentMicroRub).toBe(spent)
    expect(await ledgerFaults(pool)).toEqual([])
  },
)

async function readRenewal({ unit, timeZone }: { unit: string; timeZone: string }): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now()')
  const [{ now } = { now: new Date() }] = rows
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now)
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  // Moscow is three hours ahead all the year.
  return new Date(
    unit === 'day' ? Date.UTC(year, month - 1, date + 1, -3) : Date.UTC(year, month, 1, -3),
  )
}

const DEAD = 0
const WORKER = 7

let url: string

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url, max: 10 })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})

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

// Promise: Many requests of one key race, in several processes
test.each([['in batches', withLane]])(
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
