/**
 * The statements that read and move a task, forward only and by the holder of its lease.
 *
 * Invariants: a task ends in the transaction that keeps its callback; the provider's work is written until it is stored,
 * while the lease surely holds. Each write is safe to repeat.
 */
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { TaskStatus } from '../../contract/tasks.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { type Age, type Clock, growAge } from '../../platform/time/clock.ts'
import type { Callbacks, TaskEnding } from '../callback/callbacks.ts'
import { RequestRefusedError } from '../ledger/errors.ts'
import { findRow, inTransaction, type Sql } from '../ledger/sql.ts'
import { failTask, type TaskFailure } from '../ledger/tasks.ts'
import type { ProviderOperation } from '../providers/provider.ts'
import type { Endpoint } from './endpoints.ts'
import { createStem, toFileUrl } from './storage.ts'

const POLL_INTERVAL_MS = 3000

/** A task that this process has leased: no other drives it until the lease ends. */
export interface LeasedTask {
  id: number
  accountId: number
  path: string
  params: object
  operation: ProviderOperation | null
  /** The provider that the operation is for (`Endpoint`). */
  maker: string | null
  resultStem: string
  createdAt: Date
  failedVisits: number
  ageMs: Age
  visitedMs: Age
  signal: AbortSignal
}

type TaskRow = Omit<LeasedTask, 'ageMs' | 'visitedMs' | 'signal'> & {
  ageMs: number
  visitedMs: number
}

export interface TasksContext {
  pool: pg.Pool
  instance: Pick<Instance, 'id' | 'leased'>
  callbacks: Pick<Callbacks, 'keep'>
  publicRoot: () => string
  log: Pick<FastifyBaseLogger, 'warn'>
  clock: Pick<Clock, 'now' | 'sleep'>
}

export function createTasks(ctx: TasksContext) {
  const { pool, instance, callbacks, publicRoot, log, clock } = ctx
  return { open, storeOperation, succeed, fail }

  /** Reads a leased task, which is `queuing` from now on; undefined if it has ended or the lease is lost. */
  async function open(taskId: number, signal: AbortSignal): Promise<LeasedTask | undefined> {
    const row = await findRow<TaskRow>(
      pool,
      `UPDATE service.task
       SET status = greatest(status, 'queuing'), first_visit_at = coalesce(first_visit_at, now()),
         result_stem = coalesce(result_stem, $3)
       WHERE id = $1 AND lease_owner = $2 AND ended_at IS NULL
       RETURNING id, account_id, endpoint AS path, params, result_stem,
         operation - 'maker' AS operation, operation ->> 'maker' AS maker,
         created_at, failed_visits,
         extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs",
         extract(epoch FROM now() - first_visit_at)::float8 * 1000 AS "visitedMs"`,
      [taskId, instance.id, createStem()],
    )
    if (row === undefined) return undefined
    const visitedMs = growAge(row.visitedMs, clock)
    return { ...row, ageMs: growAge(row.ageMs, clock), visitedMs, signal }
  }

  /** @returns False if the lease is lost. */
  async function storeOperation(
    task: LeasedTask & { endpoint: Pick<Endpoint, 'maker'> },
    operation: ProviderOperation,
  ): Promise<boolean> {
    return await store(task, async () => {
      const { rowCount } = await pool.query(
        `UPDATE service.task SET operation = $3, status = 'generating'
         WHERE id = $1 AND lease_owner = $2 AND ended_at IS NULL`,
        [task.id, instance.id, JSON.stringify({ ...operation, maker: task.endpoint.maker })],
      )
      return rowCount === 1
    })
  }

  /** Ends a task. Returns its files, perhaps another process's, none of a failed one; undefined if it goes on elsewhere. */
  async function succeed(
    task: LeasedTask,
    files: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const resultUrls = files.map((name) => toFileUrl(publicRoot(), name))
    return await store(task, async () => {
      const hasEnded = await end(task, { status: 'success', resultUrls }, async (sql) => {
        const { rowCount } = await sql.query(
          `UPDATE service.task SET status = 'success', files = $3, ended_at = now(), due_at = NULL, lease_owner = NULL
           WHERE id = $1 AND lease_owner = $2 AND ended_at IS NULL`,
          [task.id, instance.id, files],
        )
        return rowCount === 1
      })
      // That it did not end now may be because it has ended before, by a commit whose answer was lost.
      return hasEnded ? files : await readFiles(task)
    })
  }

  async function readFiles({ id }: LeasedTask): Promise<readonly string[] | undefined> {
    const text = 'SELECT files FROM service.task WHERE id = $1 AND ended_at IS NOT NULL'
    return (await findRow<{ files: string[] }>(pool, text, [id]))?.files
  }

  /** Ends a task with a refund. @returns False if it has ended before or the lease is lost. */
  async function fail(task: LeasedTask, failure: TaskFailure): Promise<boolean> {
    const lease = { taskId: task.id, leaseOwner: instance.id }
    return await store(task, () =>
      end(task, { status: 'fail', ...failure }, (sql) => failTask(sql, lease, failure)),
    )
  }

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
    { id: taskId, path }: LeasedTask,
    outcome: TaskEnding['outcome'],
    write: (sql: Sql) => Promise<boolean>,
  ): Promise<boolean> {
    return await inTransaction(pool, async (sql) => {
      if (!(await write(sql))) return false
      await callbacks.keep(sql, { taskId, endpoint: path, outcome })
      return true
    })
  }
}

export interface PolledState {
  status: TaskStatus
  files: string[]
  errorCode: number | null
  errorMessage: string | null
}

// A second poll waits for the first, whose instant is in the row, and is judged by it. An instant far ahead is from before
// the clock was set back.
const POLL = `
  UPDATE service.task SET polled_at = clock_timestamp()
  WHERE id = $1 AND account_id = $2
    AND coalesce(abs(extract(epoch FROM clock_timestamp() - polled_at)) * 1000 >= $3, true)
  RETURNING status, files, error_code, error_message`

const READ_WAIT = `
  SELECT $3 - extract(epoch FROM clock_timestamp() - polled_at)::float8 * 1000 AS "waitMs"
  FROM service.task WHERE id = $1 AND account_id = $2`

/** Reads a task for its owner, at most once in 3 s. Undefined if it has no such task. @throws {RequestRefusedError} */
export async function pollTask(
  sql: Sql,
  { taskId, accountId }: { taskId: number; accountId: number },
): Promise<PolledState | undefined> {
  const values = [taskId, accountId, POLL_INTERVAL_MS]
  const polled = await findRow<PolledState>(sql, POLL, values, 'task-poll')
  if (polled !== undefined) return polled
  const refused = await findRow<{ waitMs: number }>(sql, READ_WAIT, values)
  if (refused === undefined) return undefined
  throw new RequestRefusedError({ code: 'rate_limit_reached', retryAfterMs: refused.waitMs })
}
