import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TASK_STATUSES, type TaskStatus } from '../../../src/contract/task.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'

const ENDS: readonly TaskStatus[] = ['success', 'fail']

let pool: pg.Pool
let accountId: number

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 1 })
  accountId = await fundedAccount(pool, 0n)
})
afterAll(() => pool.end())

const MOVES = TASK_STATUSES.flatMap((from) => TASK_STATUSES.map((to) => ({ from, to })))

test('a task goes forward only, and never leaves an end', async () => {
  const done: string[] = []

  for (const { from, to } of MOVES) {
    if (from !== to && (await move(from, to))) done.push(`${from} → ${to}`)
  }

  const isForward = ({ from, to }: (typeof MOVES)[number]) =>
    !ENDS.includes(from) && TASK_STATUSES.indexOf(from) < TASK_STATUSES.indexOf(to)
  expect(done).toEqual(MOVES.filter(isForward).map(({ from, to }) => `${from} → ${to}`))
  expect(done).toHaveLength(9)
})

/** Writes a task and then its other state, past everything but the database. */
async function move(from: TaskStatus, to: TaskStatus): Promise<boolean> {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO service.task (account_id, endpoint, params, label, price_micro_rub, files,
       status, ended_at, due_at, error_code)
     VALUES ($1, 'videos/vidgen-generate', '{}', 'vidgen-720p-5s', 0, '{}', ${stateSql('$2')})
     RETURNING id`,
    [accountId, from],
  )
  try {
    await pool.query(
      `UPDATE service.task SET (status, ended_at, due_at, error_code) = (${stateSql('$2')}) WHERE id = $1`,
      [rows[0]?.id, to],
    )
    return true
  } catch (error) {
    expect(String(error)).toContain(`cannot go from ${from} to ${to}`)
    return false
  }
}

function stateSql(status: string): string {
  return `${status}::service.task_status,
    CASE WHEN ${status} IN ('success', 'fail') THEN now() END,
    CASE WHEN ${status} NOT IN ('success', 'fail') THEN now() END,
    CASE WHEN ${status} = 'fail' THEN 500 END`
}
