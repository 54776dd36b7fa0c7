import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { type Age, growAge } from '../../platform/time/age.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Callbacks, TaskEnding } from '../callback/callbacks.ts'
import { inTransaction, type Sql } from '../ledger/sql.ts'
import { failTask, type TaskFailure } from '../ledger/tasks.ts'
import type { ProviderOperation } from '../providers/provider.ts'
import { createStem, toFileUrl } from '../storage/storage.ts'

/** A task that this process has leased: no other drives it until the lease ends. */
export interface LeasedTask {
  id: number
  accountId: number
  endpoint: string
  params: unknown
  operation: ProviderOperation | null
  resultStem: string
  createdAt: Date
  ageMs: Age
  visitedMs: Age
  signal: AbortSignal
}

type TaskRow = Omit<LeasedTask, 'ageMs' | 'visitedMs' | 'signal'> & {
  ageMs: number
  visitedMs: number
}

export interface TasksDeps {
  pool: pg.Pool
  instance: Pick<Instance, 'id' | 'leased'>
  callbacks: Pick<Callbacks, 'keep'>
  publicRoot: () => string
  log: Pick<FastifyBaseLogger, 'warn'>
  clock: Pick<Clock, 'now' | 'sleep'>
}

export type Tasks = ReturnType<typeof createTasks>

/**
 * The statements that move a task.
 *
 * Invariants:
 * - each is written only by the lease's holder;
 * - a task ends in the transaction that keeps its callback, so neither is there alone;
 * - what the provider has done is written until it is stored, while the lease surely holds: a provider that is paid
 *   once gives its answer once. Each of these writes is safe to repeat, also after one whose answer was lost.
 */
export function createTasks({ pool, instance, callbacks, publicRoot, log, clock }: TasksDeps) {
  const leaseOwner = instance.id
  return { begin, storeOperation, succeed, fail }

  async function begin(taskId: number, signal: AbortSignal): Promise<LeasedTask | undefined> {
    const { rows } = await pool.query<TaskRow>(
      `UPDATE service.task
       SET status = greatest(status, 'queuing'), first_visit_at = coalesce(first_visit_at, now()),
         result_stem = coalesce(result_stem, $3)
       WHERE id = $1 AND lease_owner = $2 AND ended_at IS NULL
       RETURNING id, account_id AS "accountId", endpoint, params, operation,
         result_stem AS "resultStem", created_at AS "createdAt",
         extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs",
         extract(epoch FROM now() - first_visit_at)::float8 * 1000 AS "visitedMs"`,
      [taskId, leaseOwner, createStem()],
    )
    const [row] = rows
    if (row === undefined) return undefined
    const visitedMs = growAge(row.visitedMs, clock)
    return { ...row, ageMs: growAge(row.ageMs, clock), visitedMs, signal }
  }

  async function storeOperation(task: LeasedTask, operation: ProviderOperation): Promise<boolean> {
    return await store(task, async () => {
      const { rowCount } = await pool.query(
        `UPDATE service.task SET operation = $3, status = 'generating'
         WHERE id = $1 AND lease_owner = $2 AND status IN ('queuing', 'generating')`,
        [task.id, leaseOwner, JSON.stringify(operation)],
      )
      return rowCount === 1
    })
  }

  /**
   * Ends a task with its stored files.
   *
   * @returns The files that the task has ended with: these ones, others where another process was first, none where
   *   it has failed; undefined where it has not ended and is another process's.
   */
  async function succeed(
    task: LeasedTask,
    files: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const resultUrls = files.map((name) => toFileUrl(publicRoot(), name))
    return await store(task, async () => {
      const hasEnded = await end(task, { status: 'success', resultUrls }, async (sql) => {
        const { rowCount } = await sql.query(
          `UPDATE service.task SET status = 'success', files = $3, ended_at = now(), due_at = NULL,
             lease_owner = NULL
           WHERE id = $1 AND lease_owner = $2 AND status = 'generating'`,
          [task.id, leaseOwner, files],
        )
        return rowCount === 1
      })
      // That it did not end now may be because it has ended before, by a commit whose answer was lost.
      return hasEnded ? files : await readFiles(task)
    })
  }

  async function readFiles({ id }: LeasedTask): Promise<readonly string[] | undefined> {
    const { rows } = await pool.query<{ files: string[] }>(
      'SELECT files FROM service.task WHERE id = $1 AND ended_at IS NOT NULL',
      [id],
    )
    return rows[0]?.files
  }

  async function fail(task: LeasedTask, failure: TaskFailure): Promise<boolean> {
    return await store(task, () =>
      end(task, { status: 'fail', ...failure }, (sql) =>
        failTask(sql, { taskId: task.id, leaseOwner }, failure),
      ),
    )
  }

  /** Repeats a write that fails, as long as the lease surely holds and the visit goes on. */
  async function store<T>({ id: taskId, signal }: LeasedTask, write: () => Promise<T>): Promise<T> {
    let isRepeated = false
    return await retryUntilStored(
      async () => {
        if (isRepeated) await instance.leased()
        return await write()
      },
      { clock, signal, onTrouble },
    )

    function onTrouble(error: unknown, delayMs: number): void {
      isRepeated = true
      log.warn({ err: error, taskId, delayMs }, 'task not stored, tried again')
    }
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
