import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import type { LedgerSql } from '../../../src/service/ledger/batch/operation.ts'
import { keep, release, settle } from '../../../src/service/ledger/end-hold.ts'
import { chargeTask, failTask } from '../../../src/service/ledger/task-charge.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { hearFlow } from '../flow.ts'
import { balanceOf, fundedAccount, keyIdOf, takeHold, WIDE_LIMIT } from './ledger-fixture.ts'

const WORKER = 7
const USAGE = { promptTokens: 1, completionTokens: 1 }

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
})
afterAll(() => pool.end())

/** Two statements at once go one by one; what comes meanwhile is one batch. */
const LEDGERS: [string, () => LedgerSql][] = [['in a lane', () => withLane(pool)]]

test.each(LEDGERS)(
  '%s, each of many holds and ends publishes what it moved',
  async (_name, open) => {
    const accountId = await fundedAccount(pool, 100_000_000n)
    const sql = open()
    const { money } = hearFlow()

    const ids = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => takeHold(sql, { accountId, amountMicroRub: 10_000_000n })),
    )
    await Promise.all(
      ids.map((requestId, index) => {
        if (index < 4) return settle(sql, { requestId, costMicroRub: 4_500_000n, usage: USAGE })
        return (index === 4 ? release : keep)(sql, requestId)
      }),
    )

    const kinds = money().map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(
      [...Array(6).fill('hold'), 'keep', 'release', ...Array(4).fill('settle')].toSorted(),
    )
    const flowsOf = (index: number) => money().filter(({ reference }) => reference === ids[index])
    expect(flowsOf(0)).toMatchObject([
      { kind: 'hold', accountId, label: 'alpha', amountRub: '10' },
      { kind: 'settle', amountRub: '4.5' },
    ])
    expect(flowsOf(4)[1]).toMatchObject({ kind: 'release', amountRub: '10' })
    expect(flowsOf(5)[1]).not.toHaveProperty('amountRub')
    expect(await balanceOf(pool, accountId)).toBe(72_000_000n)
  },
)

test.each(LEDGERS)(
  '%s, a task publishes its debit, and its refund if it fails',
  async (_name, open) => {
    const accountId = await fundedAccount(pool, 20_000_000n)
    const sql = open()
    const { published } = hearFlow()

    const taskId = await chargeTask(sql, clip(accountId))
    await pool.query('UPDATE service.task SET lease_owner = $2 WHERE id = $1', [taskId, WORKER])
    const failure = { code: 502, message: 'no' }
    await failTask(pool, { taskId, leaseOwner: WORKER }, failure)
    await failTask(pool, { taskId, leaseOwner: WORKER }, failure)

    const same = { reference: `task ${taskId}`, accountId, label: 'clip', amountRub: '8' }
    expect(published).toEqual([
      { kind: 'debit', ...same },
      { kind: 'refund', ...same },
    ])
  },
)

function clip(accountId: number) {
  return {
    accountId,
    keyId: keyIdOf(accountId),
    limit: WIDE_LIMIT,
    model: 'vidgen',
    amountMicroRub: 8_000_000n,
    endpoint: 'videos/vidgen-generate',
    params: {},
    label: 'clip',
    idempotencyKey: `of ${accountId}`,
  }
}
