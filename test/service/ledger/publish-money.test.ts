import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type MoneyFlow, serviceFlow } from '../../../src/platform/service-flow.ts'
import { chargeTask } from '../../../src/service/ledger/tasks.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import {
  capture,
  endTask,
  fundedAccount,
  ledgerOf,
  release,
  settle,
  takeHold,
  toCharge,
} from './ledger-fixture.ts'

let pool: pg.Pool
useLedgerPools((opened) => {
  pool = opened.pool
})

test('each hold, end, charge and refund is published once, with what it moved', async () => {
  const accountId = await fundedAccount(pool, 100_000_000n)
  const published = hearFlow()
  const hold = { accountId, amountMicroRub: 10_000_000n }

  const ids = await Promise.all([1, 2, 3].map(() => takeHold(pool, hold)))
  const [settled = '', released = '', captured = ''] = ids
  for (let time = 0; time < 2; time += 1) {
    await settle(pool, { requestId: settled, costMicroRub: 4_500_000n })
    await release(pool, released)
    await capture(pool, captured)
  }
  const left = await takeHold(pool, { ...hold, leaseOwner: 0 })
  await ledgerOf(pool).takeOver()
  const charge = toCharge({ accountId, amountMicroRub: 8_000_000n, idempotencyKey: 'order' })
  const taskId = await chargeTask(pool, charge)
  await chargeTask(pool, charge)
  await pool.query('UPDATE service.task SET lease_owner = 7 WHERE id = $1', [taskId])
  for (let time = 0; time < 2; time += 1) {
    await endTask(pool, taskId)
  }

  const flowsOf = (reference: string) => published.filter((flow) => flow.reference === reference)
  const held = { kind: 'hold', accountId, label: 'alpha', amountRub: '10' }
  expect(flowsOf(settled)).toMatchObject([held, { kind: 'settle', amountRub: '4.5' }])
  expect(flowsOf(released)).toMatchObject([held, { kind: 'release', amountRub: '10' }])
  expect(flowsOf(captured)).toMatchObject([held, { kind: 'keep' }])
  expect(flowsOf(left)).toMatchObject([held, { kind: 'release', accountId, amountRub: '10' }])
  expect(flowsOf(`task ${taskId}`)).toMatchObject([
    { kind: 'debit', accountId, amountRub: '8' },
    { kind: 'refund', accountId, amountRub: '8' },
  ])
})

/** Collects the money that the service of this process publishes, as it was then, until the test has finished. */
function hearFlow() {
  const published: MoneyFlow[] = []
  const hear = (flow: unknown) => void published.push(flow as MoneyFlow)
  serviceFlow.subscribe(hear)
  onTestFinished(() => void serviceFlow.unsubscribe(hear))
  return published
}
