import type pg from 'pg'
import { expect, test } from 'vitest'
import { setAccountState } from '../../../src/service/ledger/accounts.ts'
import { inTransaction } from '../../../src/service/ledger/sql.ts'
import { chargeTask, withdrawTask } from '../../../src/service/ledger/tasks.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import { refusal } from '../../support/refusal.ts'
import { countOf, rowsOf } from '../rows.ts'
import { balanceOf, endTask, fundedAccount, startTask, toCharge } from './ledger-fixture.ts'

let pool: pg.Pool
let other: pg.Pool
useLedgerPools((opened) => {
  ;({ pool, other } = opened)
})

const PRICE = 40_000_000n
const WORKER = 7
const THREE = { kind: 'video', requestsMax: 3 } as const

function video(accountId: number, idempotencyKey?: string) {
  return toCharge({ accountId, amountMicroRub: PRICE, idempotencyKey })
}

test('chargeTask() creates a waiting task and takes its price', async () => {
  const accountId = await fundedAccount(pool, 3n * PRICE)

  const taskId = await chargeTask(pool, video(accountId))

  expect(await balanceOf(pool, accountId)).toBe(2n * PRICE)
  const [task] = await rowsOf(pool, 'task', 'WHERE id = $1', [taskId])
  const params = { prompt: 'снег ❄️' }
  expect(task).toMatchObject({ status: 'waiting', params, priceMicroRub: PRICE, leaseOwner: null })
})

test('chargeTask() lets exactly three of twenty racing requests of two processes through', async () => {
  const accountId = await fundedAccount(pool, 20n * PRICE)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      chargeTask(index % 2 === 0 ? pool : other, { ...video(accountId), limit: THREE }),
    ),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(17)
  for (const { reason } of refused) expect(reason).toEqual(refusal('rate_limit_reached'))
  expect(await balanceOf(pool, accountId)).toBe(17n * PRICE)
})

test('chargeTask() gives the last price to exactly one of racing tasks', async () => {
  const accountId = await fundedAccount(pool, PRICE)

  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => chargeTask(pool, video(accountId))),
  )

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(7)
  const facts = { neededMicroRub: PRICE, availableMicroRub: 0n }
  for (const { reason } of refused) expect(reason).toEqual(refusal('balance_too_low', facts))
})

test('chargeTask() charges racing repeats of one key once, and counts none of them', async () => {
  const accountId = await fundedAccount(pool, 2n * PRICE)
  const charge = {
    ...video(accountId, 'order 1'),
    limit: { kind: 'video', requestsMax: 2 } as const,
  }

  const charged = await Promise.all(
    Array.from({ length: 8 }, (_, index) => chargeTask(index % 2 === 0 ? pool : other, charge)),
  )
  await chargeTask(pool, { ...charge, idempotencyKey: 'order 2' })
  await setAccountState(pool, { accountId, state: 'frozen' })
  const late = await chargeTask(pool, charge)

  expect(new Set([...charged, late]).size).toBe(1)
  await expect(chargeTask(pool, video(accountId))).rejects.toEqual(refusal('account_frozen'))
  expect(await balanceOf(pool, accountId)).toBe(0n)
})

test('chargeTask() knows a repeat by its meaning: order of fields and another price change nothing', async () => {
  const accountId = await fundedAccount(pool, 3n * PRICE)
  const params = { prompt: 'снег', duration: 5, quality: '720p' }
  const first = await chargeTask(pool, { ...video(accountId, 'k'), params })

  const again = await chargeTask(pool, {
    ...video(accountId, 'k'),
    params: { quality: '720p', duration: 5, prompt: 'снег' },
    amountMicroRub: 2n * PRICE,
  })

  expect(again).toBe(first)
  expect(await balanceOf(pool, accountId)).toBe(2n * PRICE)
})

test.each([
  ['another body', { params: { prompt: 'дождь' } }],
  ['another endpoint', { endpoint: 'images/imagegen-generate' }],
])('chargeTask() refuses a key that comes with %s, and takes nothing', async (_, changed) => {
  const accountId = await fundedAccount(pool, 3n * PRICE)
  await chargeTask(pool, video(accountId, 'k'))

  const reused = chargeTask(pool, { ...video(accountId, 'k'), ...changed })

  await expect(reused).rejects.toEqual(refusal('idempotency_key_reused'))
  expect(await balanceOf(pool, accountId)).toBe(2n * PRICE)
  expect(await countOf(pool, 'task', 'WHERE account_id = $1', [accountId])).toBe(1)
})

test('failTask() ends the task and refunds its price once, however often it is called', async () => {
  const accountId = await fundedAccount(pool, PRICE)
  const taskId = await startTask(pool, { accountId, amountMicroRub: PRICE })

  const ended = [
    await endTask(pool, taskId, WORKER + 1),
    ...(await Promise.all([1, 2, 3].map(() => endTask(pool, taskId)))),
  ]

  expect(ended.filter(Boolean)).toHaveLength(1)
  expect(ended[0]).toBe(false)
  expect(await balanceOf(pool, accountId)).toBe(PRICE)
  const [task] = await rowsOf(pool, 'task', 'WHERE id = $1', [taskId])
  expect(task).toMatchObject({ status: 'fail', errorCode: 502, errorMessage: 'no' })
})

test('creations and their withdrawals that race leave nothing charged', async () => {
  const accountId = await fundedAccount(pool, 100n * PRICE)
  const charges = Array.from({ length: 12 }, (_, index) => ({
    ...video(accountId),
    reference: `creation ${accountId} ${index}`,
  }))
  const withdraw = (charge: (typeof charges)[number]) =>
    inTransaction(other, (sql) => withdrawTask(sql, charge, WORKER))

  await Promise.all(
    charges.flatMap((charge) => [chargeTask(pool, charge).catch(() => {}), withdraw(charge)]),
  )
  for (const charge of charges) await withdraw(charge)

  expect(await balanceOf(pool, accountId)).toBe(100n * PRICE)
})
