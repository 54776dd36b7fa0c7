import type pg from 'pg'
import { expect, test } from 'vitest'
import { changeApiKey, findApiKey, type KeyTerms } from '../../../src/service/ledger/api-keys.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import {
  addKey,
  balanceOf,
  capture,
  createRandom,
  endTask,
  fundedAccount,
  ledgerOf,
  release,
  settle,
  startTask,
  takeHold,
} from './ledger-fixture.ts'

let pool: pg.Pool
let other: pg.Pool
useLedgerPools((opened) => {
  ;({ pool, other } = opened)
})

const DAY = { unit: 'day', timeZone: 'Europe/Moscow' } as const
const MONTH = { unit: 'month', timeZone: 'Europe/Moscow' } as const
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
    counted: async () => (await findApiKey(pool, keyId))?.countedMicroRub,
    spent: async () => (await findApiKey(pool, keyId))?.spentMicroRub,
    passDays,
  }

  async function passDays(days: number): Promise<void> {
    const back = `- ${days} * interval '1 day'`
    await pool.query(
      `UPDATE service.api_key SET period_began_at = period_began_at ${back} WHERE public_id = $1`,
      [keyId],
    )
    for (const table of ['request', 'task']) {
      await pool.query(
        `UPDATE service.${table} SET created_at = created_at ${back}, counted_in = counted_in ${back} WHERE key_id = $1`,
        [keyId],
      )
    }
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

test.each([
  ['day', DAY, 1],
  ['month', MONTH, 31],
] as const)('a budget of a %s is spent once, and is whole again with the next', async (...row) => {
  const [, spendPeriod, days] = row
  const key = await openKey({ spendLimitMicroRub: 1000n, spendPeriod })
  await settle(pool, { requestId: await key.spend(900n), costMicroRub: 700n })
  await key.spend(300n)

  const refused = await key.spend(1n).catch((error: unknown) => error)
  await key.passDays(days)
  const renewed = await key.counted()
  await key.spend(1000n)

  const renewsAt = await readRenewal(spendPeriod)
  const facts = { limitMicroRub: 1000n, leftMicroRub: 0n, renewsAt }
  expect(refused).toEqual(refusal('spend_limit_reached', facts))
  expect(renewed).toBe(0n)
  await expect(key.spend(1n)).rejects.toEqual(refusal('spend_limit_reached'))
  expect(await key.spent()).toBe(2000n)
})

test('what began before the period refunds nothing to it, and costs it nothing', async () => {
  const key = await openKey({ spendLimitMicroRub: 1000n, spendPeriod: DAY })
  const [settled, released, above, captured] = [
    await key.spend(100n),
    await key.spend(100n),
    await key.spend(100n),
    await key.spend(100n),
  ]
  const task = await key.order()
  await key.spend(100n)
  await key.passDays(1)
  const now = await key.spend(500n)

  await settle(pool, { requestId: now, costMicroRub: 400n })
  await settle(pool, { requestId: settled, costMicroRub: 10n })
  await settle(pool, { requestId: above, costMicroRub: 5000n })
  await release(pool, released)
  await capture(pool, captured)
  await ledgerOf(pool).takeOver()
  await endTask(pool, task)

  expect(await key.counted()).toBe(400n)
  expect(await key.spent()).toBe(400n + 10n + 5000n + 100n)
  await key.spend(600n)
  await expect(key.spend(1n)).rejects.toEqual(refusal('spend_limit_reached'))
})

test('a period that is set begins at once with nothing spent; without it all that was spent counts', async () => {
  const key = await openKey({ spendLimitMicroRub: 1000n })
  const before = await key.spend(800n)
  await changeApiKey(pool, key.keyId, { spendPeriod: MONTH })
  await key.spend(900n)

  await release(pool, before)
  const inPeriod = await key.counted()
  await changeApiKey(pool, key.keyId, { spendPeriod: null })

  expect([inPeriod, await key.counted()]).toEqual([900n, 900n])
  await expect(key.spend(101n)).rejects.toEqual(refusal('spend_limit_reached'))
})

test('a time zone that PostgreSQL does not know is refused, and nothing is changed', async () => {
  const key = await openKey({ spendLimitMicroRub: 1000n })

  const changed = changeApiKey(pool, key.keyId, {
    spendLimitMicroRub: 1n,
    spendPeriod: { unit: 'day', timeZone: 'Mars/Olympus' },
  })

  await expect(changed).rejects.toThrow('Mars/Olympus')
  const unchanged = { spendLimitMicroRub: 1000n, spendPeriod: null }
  expect(await findApiKey(pool, key.keyId)).toMatchObject(unchanged)
})

test.each([1, 42, 1905])(
  'across periods the count is that of the requests that began in this one (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const limit = 2000n
    const key = await openKey({ spendLimitMicroRub: limit, spendPeriod: DAY })
    let period = 0
    const requests: { id: string; period: number; cost: bigint; isOpen: boolean }[] = []
    const countOf = () =>
      requests
        .filter((request) => request.period === period)
        .reduce((sum, { cost }) => sum + cost, 0n)

    for (let step = 0; step < 100; step += 1) {
      const open = requests.filter(({ isOpen }) => isOpen)
      const one = open[random(Math.max(1, open.length))]
      const action = random(10)
      if (action === 0) {
        await key.passDays(1)
        period += 1
      } else if (action < 6 || one === undefined) {
        const held = BigInt(random(500))
        const isFit = countOf() + held <= limit
        const id = await key.spend(held).catch(() => undefined)
        expect({ step, isTaken: id !== undefined }).toEqual({ step, isTaken: isFit })
        if (id !== undefined) requests.push({ id, period, cost: held, isOpen: true })
      } else {
        one.cost = action === 6 ? 0n : BigInt(random(700))
        one.isOpen = false
        await settle(pool, { requestId: one.id, costMicroRub: one.cost })
      }
      expect({ step, counted: await key.counted() }).toEqual({ step, counted: countOf() })
    }
    expect(await key.spent()).toBe(requests.reduce((sum, { cost }) => sum + cost, 0n))
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
