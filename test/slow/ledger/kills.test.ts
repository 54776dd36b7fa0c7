import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  createRandom,
  fundedAccount,
  ledgerFaults,
  ledgerOf,
} from '../../service/ledger/ledger-fixture.ts'
import type { Orders } from './request-process.ts'

const ROUNDS = 6
const CREDIT = 1500n
const PROGRAM = join(import.meta.dirname, 'request-process.ts')

interface Report {
  kind: 'begins' | 'held' | 'settled'
  requestId: string
  cost?: number
}

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url, max: 4 })
})
afterAll(() => pool.end())

async function startProcess(accounts: number[], reports: Report[]) {
  const child: ChildProcess = fork(PROGRAM, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const exited = once(child, 'exit')
  const begun = Promise.withResolvers<void>()
  child.on('message', (report: Report) => {
    if (report.kind === 'begins') begun.resolve()
    else reports.push(report)
  })
  child.send({ url, accounts, count: 40 } satisfies Orders)
  await begun.promise
  return { child, exited }
}

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'two processes of the ledger on the same accounts keep every promise if one gets %s',
  async (signal) => {
    const random = createRandom(signal.length)
    for (let round = 0; round < ROUNDS; round += 1) {
      const accounts = [await fundedAccount(pool, CREDIT), await fundedAccount(pool, CREDIT)]
      const reports: Report[] = []
      const victim = await startProcess(accounts, reports)
      const other = await startProcess(accounts, reports)
      await delay(random(15))
      victim.child.kill(signal)
      await other.exited
      await ledgerOf(pool).takeOver()
      // A frozen process comes back late, with ends that take the place of guesses.
      victim.child.kill('SIGCONT')
      await victim.exited
      await expect.poll(countOpenStatements).toBe(0)
      await ledgerOf(pool).takeOver()

      expect(await ledgerFaults(pool)).toEqual([])
      expect(await readState(accounts)).toEqual({ open: 0, overdrawn: 0 })
      await expectReported(reports)
    }
  },
)

/** A hold that was reported is there, and a settlement has the cost that was reported. */
async function expectReported(reports: readonly Report[]): Promise<void> {
  const { rows } = await pool.query(
    'SELECT id, end_state AS state, cost_micro_rub::int AS cost FROM service.request WHERE id = ANY ($1)',
    [reports.map(({ requestId }) => requestId)],
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  for (const { kind, requestId, cost } of reports) {
    expect(found.get(requestId)).toBeDefined()
    if (kind === 'settled') expect(found.get(requestId)).toMatchObject({ state: 'settled', cost })
  }
}

async function countOpenStatements(): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name LIKE 'kopeck requests%'
     AND datname = current_database()`,
  )
  return rows[0].count
}

async function readState(accounts: readonly number[]) {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM service.request WHERE account_id = ANY ($1) AND ended_at IS NULL) AS open,
       (SELECT count(*)::int FROM service.account WHERE id = ANY ($1) AND balance_micro_rub < 0) AS overdrawn`,
    [accounts],
  )
  return rows[0]
}
