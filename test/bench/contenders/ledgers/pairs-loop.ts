// Takes and corrects the money of chats in a closed loop, in a process of its own, and reports how many pairs came.

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Checkout, importFrom } from '../../checkout.ts'
import { measureCpu } from '../../measuring/cpu.ts'
import { readFamilyCpuMs } from '../../measuring/process-figures.ts'
import type { PairsFigures, PairsTask } from './pairs-task.ts'

type Hold = typeof import('../../../../src/service/ledger/hold.ts')
type EndHold = typeof import('../../../../src/service/ledger/end-hold.ts')
type Ledger = Parameters<Hold['hold']>[0]

const CONNECTIONS = 20
const HOLD_MICRO_RUB = 1_000n
const COST_MICRO_RUB = 400n
const LANE = 'src/service/ledger/batch/lane.ts'

const task = JSON.parse(process.env.TASK ?? '') as PairsTask
const pool = new pg.Pool({ connectionString: task.databaseUrl, max: CONNECTIONS })
const pair =
  task.root === undefined ? plainPair : await createPair({ name: 'Kopeck', root: task.root })

await runFor(task.warmUpSeconds)
const database = { readCpuMs: () => readFamilyCpuMs(task.postgresPid) }
const { result, cpu } = await measureCpu({ pid: process.pid, database }, () => runFor(task.seconds))
await pool.end()
const figures: PairsFigures = { ...result, cpu }
process.stdout.write(`${JSON.stringify({ msg: 'ready', figures })}\n`)

async function runFor(seconds: number) {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let pairs = 0
  const work = async () => {
    while (performance.now() < endsAt) {
      await pair(task.payers[pairs++ % task.payers.length] ?? { accountId: 0, keyId: '' })
    }
  }
  await Promise.all(Array.from({ length: task.atOnce }, work))
  return { pairs, seconds: (performance.now() - startedAt) / 1_000 }
}

/** The pairs of a checkout: through its lane, if it has one. */
async function createPair(checkout: Checkout) {
  const { hold } = await importFrom<Hold>(checkout, 'src/service/ledger/hold.ts')
  const { settle } = await importFrom<EndHold>(checkout, 'src/service/ledger/end-hold.ts')
  let ledger: Ledger = pool
  if (existsSync(join(checkout.root, LANE))) {
    const lane = await importFrom<{ withLane(sql: pg.Pool): Ledger }>(checkout, LANE)
    ledger = lane.withLane(pool)
  }
  return async (payer: PairsTask['payers'][number]) => {
    const requestId = randomUUID()
    await hold(ledger, {
      requestId,
      ...payer,
      limit: task.limit,
      model: 'bench-model',
      leaseOwner: 1,
      amountMicroRub: HOLD_MICRO_RUB,
      promptMicroRubPer1m: 150_000_000n,
      completionMicroRubPer1m: 600_000_000n,
    })
    const usage = { promptTokens: 20, completionTokens: 20 }
    const settled = await settle(ledger, { requestId, costMicroRub: COST_MICRO_RUB, usage })
    if (!settled) throw new Error('A hold was not settled')
  }
}

/** The least that moves money and says so: a balance and its entry, twice; no hold, no limit, no end of it. */
async function plainPair({ accountId }: PairsTask['payers'][number]): Promise<void> {
  await move(accountId, HOLD_MICRO_RUB)
  await move(accountId, HOLD_MICRO_RUB - COST_MICRO_RUB)
}

async function move(accountId: number, amountMicroRub: bigint): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'bench-move',
    text: `
      WITH moved AS (
        UPDATE service.account SET balance_micro_rub = balance_micro_rub + $2::bigint
        WHERE id = $1 AND balance_micro_rub + $2::bigint >= 0 RETURNING id
      )
      INSERT INTO service.entry (account_id, kind, amount_micro_rub)
      SELECT id, 'credit', $2::bigint FROM moved`,
    values: [accountId, amountMicroRub],
  })
  if (rowCount !== 1) throw new Error('Money was not moved')
}
