import type pg from 'pg'
import { expect, test } from 'vitest'
import { changeApiKey } from '../../../src/service/ledger/api-keys.ts'
import {
  countSecretRead,
  type RateLimit,
  type RateWindow,
  readOwnLimits,
  roomOf,
  setOwnLimits,
} from '../../../src/service/ledger/rate-window.ts'
import { inTransaction } from '../../../src/service/ledger/sql.ts'
import { chargeTask } from '../../../src/service/ledger/tasks.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import { letTimePass } from '../let-time-pass.ts'
import {
  addKey,
  createRandom,
  fundedAccount,
  keyIdOf,
  ledgerOf,
  takeHold,
  toCharge,
  toRequest,
} from './ledger-fixture.ts'

let pool: pg.Pool
let other: pg.Pool
useLedgerPools((opened) => {
  ;({ pool, other } = opened)
})

/** More than a window of these tests has. */
const REQUESTS_MAX = 10_000
const CHATS: RateLimit = { kind: 'chat', requestsMax: 30 }

/** Asks at once, in two processes. @returns How many were accepted. */
async function askAtOnce(count: number, accountId: number, limit = CHATS): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      takeHold(index % 2 === 0 ? pool : other, { accountId, amountMicroRub: 1n, limit }),
    ),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) expect(reason).toEqual(refusal('rate_limit_reached'))
  return count - refused.length
}

async function refusalOf(accountId: number) {
  const asked = takeHold(pool, { accountId, amountMicroRub: 1n, limit: CHATS })
  const { reason, standing } = await asked.then(
    () => Promise.reject(new Error('accepted')),
    (error) => error,
  )
  expect(reason.code).toBe('rate_limit_reached')
  return { retryAfterMs: reason.retryAfterMs, standing }
}

test('exactly 30 of 100 racing chats of two processes are accepted, and none after that', async () => {
  const accountId = await fundedAccount(pool, 1000n)

  expect(await askAtOnce(100, accountId)).toBe(30)
  expect(await askAtOnce(20, accountId)).toBe(0)
})

test('the window slides: a burst at its edge gets no second helping', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  await askAtOnce(10, accountId)
  await letTimePass(pool, 40_000)
  await askAtOnce(20, accountId)

  const atTheEdge = await askAtOnce(30, accountId)
  await letTimePass(pool, 20_000)
  const whenTenHaveLeft = await askAtOnce(30, accountId)
  await letTimePass(pool, 40_000)
  const whenTwentyHaveLeft = await askAtOnce(30, accountId)

  expect([atTheEdge, whenTenHaveLeft, whenTwentyHaveLeft]).toEqual([0, 10, 20])
})

test('a refusal reports when the oldest request leaves the window, and is not counted itself', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  await askAtOnce(1, accountId)
  await letTimePass(pool, 50_000)
  await askAtOnce(29, accountId)

  const { retryAfterMs, standing } = await refusalOf(accountId)
  await letTimePass(pool, 10_000)

  expect(retryAfterMs).toBeGreaterThan(5000)
  expect(retryAfterMs).toBeLessThanOrEqual(10_000)
  expect(standing).toMatchObject({ requestsMax: 30, requestsLeft: 0 })
  expect(await askAtOnce(5, accountId)).toBe(1)
})

test('a clock that was set back by hours delays no request', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  await askAtOnce(30, accountId)

  await letTimePass(pool, -2 * 3_600_000)

  expect(await askAtOnce(35, accountId)).toBe(30)
})

test('a clock that was set back by a moment lets no more through, and delays for two windows at most', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  await askAtOnce(20, accountId)
  await letTimePass(pool, -30_000)
  await askAtOnce(10, accountId)

  expect(await askAtOnce(5, accountId)).toBe(0)
  expect((await refusalOf(accountId)).retryAfterMs).toBeLessThanOrEqual(90_000)
  await letTimePass(pool, 90_000)
  expect(await askAtOnce(40, accountId)).toBe(30)
})

test('SQL and TypeScript count the same requests, exactly up to a hundred, whatever the clock does', async () => {
  for (const [seed, stepMs, isSetBack] of [
    [1, 30_000, false],
    [42, 5000, true],
    [1905, 400, false],
  ] as const) {
    const random = createRandom(seed)
    let window: RateWindow = { instants: [], totals: [] }
    const counted: number[] = []
    let nowMs = 1_800_000_000_000
    for (let step = 0; step < 300; step += 1) {
      nowMs += random(stepMs) - (isSetBack && random(40) === 0 ? stepMs * 20 : 0)
      const { rows } = await pool.query(
        `SELECT to_json(added) AS added, service.window_used(past, $3) AS before, service.window_used(added, $3) AS used
         FROM (SELECT ROW($1::bigint[], $2::bigint[])::service.rate_window AS past) AS past,
           LATERAL (SELECT service.window_add(past, $3, 1) AS added) AS added`,
        [window.instants, window.totals, nowMs],
      )
      const { before, used, added } = rows[0]
      const usedOf = (of: RateWindow) => REQUESTS_MAX - roomOf(of, REQUESTS_MAX, nowMs).requestsLeft
      expect(usedOf(window)).toBe(before)
      window = added
      expect(usedOf(window)).toBe(used)
      counted.push(nowMs)
      const exact = counted.filter((at) => at > nowMs - 60_000 && at <= nowMs + 60_000).length
      if (!isSetBack) expect(used).toBeGreaterThanOrEqual(exact)
      if (!isSetBack && exact <= 100) expect(used).toBe(exact)
      expect(window.instants.length).toBeLessThan(205)
    }
  }
})

test('accounts and kinds have counts of their own', async () => {
  const [one, two] = [await fundedAccount(pool, 1000n), await fundedAccount(pool, 1000n)]
  const readSecret = () => inTransaction(pool, (sql) => countSecretRead(sql, one))
  await askAtOnce(30, one)

  expect(await askAtOnce(1, one)).toBe(0)
  expect(await askAtOnce(31, two)).toBe(30)
  const secrets = await Promise.allSettled(Array.from({ length: 12 }, readSecret))
  expect(secrets.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
})

test('a limit of one account counts from the next request on: raised, lowered and dropped', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const before = await askAtOnce(31, accountId)

  await setOwnLimits(pool, accountId, { chat: 240 })
  const raised = await askAtOnce(250, accountId)
  await setOwnLimits(pool, accountId, { chat: 5 })
  const lowered = await askAtOnce(10, accountId)
  await letTimePass(pool, 60_000)
  const later = await askAtOnce(10, accountId)
  await setOwnLimits(pool, accountId, { chat: null })
  const dropped = await askAtOnce(40, accountId)

  expect([before, raised, lowered, later, dropped]).toEqual([30, 210, 0, 5, 25])
  expect(await readOwnLimits(pool, accountId)).toMatchObject({ chat: null, video: null })
})

test('a key asks as often as its rate allows; what is refused counts towards nothing', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = await addKey(pool, accountId, { requestsPerMinute: 2 })
  const ask = (key = keyId) =>
    ledgerOf(pool).hold(toRequest({ accountId, keyId: key, limit: CHATS, amountMicroRub: 1n }))

  const held = [await ask(), await ask()]
  const refused = await Promise.all([1, 2, 3].map(() => ask().catch((error: unknown) => error)))
  const unlimited = await ask(keyIdOf(accountId))

  expect(held.map(({ standing }) => standing?.requestsLeft)).toEqual([1, 0])
  for (const error of refused) {
    expect(error).toEqual(refusal('rate_limit_reached'))
    expect(error).toMatchObject({ standing: { requestsMax: 2, requestsLeft: 0 } })
  }
  expect(unlimited.standing).toMatchObject({ requestsMax: 30, requestsLeft: 27 })
})

test('of racing requests of several keys and processes each has what its rate allows', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keys = await Promise.all(
    [3, 7, null].map(
      async (requestsPerMinute) => await addKey(pool, accountId, { requestsPerMinute }),
    ),
  )

  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, async (_, index) => {
      const keyId = keys[index % 3] ?? ''
      const request = { accountId, keyId, amountMicroRub: 1n, limit: CHATS }
      await takeHold(index % 2 === 0 ? pool : other, request)
      return index % 3
    }),
  )

  const accepted = outcomes.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  expect([0, 1, 2].map((key) => accepted.filter((each) => each === key).length)).toEqual([3, 7, 20])
})

test('a rate that is set or taken away counts from the next request on, and not for tasks', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const keyId = keyIdOf(accountId)
  const ask = () => takeHold(pool, { accountId, keyId, amountMicroRub: 1n, limit: CHATS })
  await ask()
  await changeApiKey(pool, keyId, { requestsPerMinute: 1 })
  await ask()

  await chargeTask(pool, toCharge({ accountId, keyId, amountMicroRub: 1n }))
  await expect(ask()).rejects.toEqual(refusal('rate_limit_reached'))
  await changeApiKey(pool, keyId, { requestsPerMinute: null })

  await expect(ask()).resolves.toEqual(expect.any(String))
})
