import type pg from 'pg'
import { type Age, growAge } from '../../platform/time/age.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Callbacks } from '../callback/callbacks.ts'
import type { TaskEnding } from '../callback/notification.ts'
import { inTransaction, type Sql } from '../ledger/sql.ts'
import { failTask, type TaskFailure } from '../ledger/task-charge.ts'
import type { ProviderOperation } from '../providers/provider.ts'
import { toFileUrl } from '../storage/storage.ts'

/** A task that this process has leased: no other drives it until the lease ends. */
export interface LeasedTask {
  id: number
  accountId: number
  endpoint: string
  params: unknown
  operation: ProviderOperation | null
  createdAt: Date
  ageMs: Age
  /** The time since the first look at it. */
  visitedMs: Age
}

type TaskRow = Omit<LeasedTask, 'ageMs' | 'visitedMs'> & { ageMs: number; visitedMs: number }

export interface TasksDeps {
  pool: pg.Pool
  /** This process (`src/platform/database/instance/instance.ts`). */
  leaseOwner: number
  callbacks: Pick<Callbacks, 'keep'>
  publicRoot: () => string
  clock: Pick<Clock, 'now'>
}

export type Tasks = ReturnType<typeof createTasks>

/**
 * The statements that move a task.
 *
 * Invariants: each is written only by the lease's holder; a task ends in the transaction that keeps its
 * callback, so neither is there alone.
 */
export function createTasks({ pool, leaseOwner, callbacks, publicRoot, clock }: TasksDeps) {
  return { begin, storeOperation, succeed, fail }

  /**
   * Begins to drive a leased task; a `waiting` one is `queuing` from here on.
   *
   * @returns undefined if the lease is lost.
   */
  async function begin(taskId: number): Promise<LeasedTask | undefined> {
    const { rows } = await pool.query<TaskRow>(
      `UPDATE service.task
       SET status = greatest(status, 'queuing'), first_visit_at = coalesce(first_visit_at, now())
       WHERE id = $1 AND lease_owner = $2 AND ended_at IS NULL
       RETURNING id, account_id AS "accountId", endpoint, params, operation,
         created_at AS "createdAt",
         extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs",
         extract(epoch FROM now() - first_visit_at)::float8 * 1000 AS "visitedMs"`,
      [taskId, leaseOwner],
    )
    const [row] = rows
    if (row === undefined) return undefined
    const visitedMs = growAge(row.visitedMs, clock)
    return { ...row, ageMs: growAge(row.ageMs, clock), visitedMs }
  }

  /**
   * Stores what the provider has begun, or how far it has come; the task is `generating` from here on.
   *
   * @returns True if the lease was ours.
   */
  async function storeOperation(taskId: number, operation: ProviderOperation): Promise<boolean> {
    const { rowCount } = await pool.query(
      `UPDATE service.task SET operation = $3, status = 'generating'
       WHERE id = $1 AND lease_owner = $2 AND status IN ('queuing', 'generating')`,
      [taskId, leaseOwner, JSON.stringify(operation)],
    )
    return rowCount === 1
  }

  /** Ends a task with its stored files. @returns Whether this call ended it. */
  async function succeed(task: LeasedTask, files: readonly string[]): Promise<boolean> {
    const resultUrls = files.map((name) => toFileUrl(publicRoot(), name))
    return await end(task, { status: 'success', resultUrls }, async (sql) => {
      const { rowCount } = await sql.query(
        `UPDATE service.task SET status = 'success', files = $3, ended_at = now(), due_at = NULL,
           lease_owner = NULL
         WHERE id = $1 AND lease_owner = $2 AND status = 'generating'`,
        [task.id, leaseOwner, files],
      )
      return rowCount === 1
    })
  }

  /** Ends a task and gives its price back. @returns Whether this call ended it. */
  async function fail(task: LeasedTask, failure: TaskFailure): Promise<boolean> {
    return await end(task, { status: 'fail', ...failure }, (sql) =>
      failTask(sql, { taskId: task.id, leaseOwner }, failure),
    )
  }

  async function end(
    { id: taskId, endpoint }: LeasedTask,
    outcome: TaskEnding['outcome'],
    write: (sql: Sql) => Promise<boolean>,
  ): Promise<boolean> {
    return await inTransaction(pool, async (sql) => {
      if (!(await write(sql))) return false
      await callbacks.keep(sql, { taskId, endpoint, outcome })
      return true
    })
  }
}
