/** Statements by which an operator looks at callbacks and has them sent again. */
import type { Sql } from '../ledger/sql.ts'

export interface AttemptRecord {
  number: number
  startedAt: Date
  endedAt: Date | null
  status: number | null
  /** The reason why there was no answer: a word of docs/service.md#life-of-a-callback. */
  failure: string | null
}

export interface CallbackRecord {
  accountId: number
  url: string | null
  state: 'pending' | 'delivered' | 'failed' | null
  attempts: AttemptRecord[]
}

/** @returns The callback of a task with its attempts, oldest first; undefined if there is no task. */
export async function readCallbackRecord(
  sql: Sql,
  taskId: number,
): Promise<CallbackRecord | undefined> {
  const { rows } = await sql.query<Omit<CallbackRecord, 'attempts'>>(
    `SELECT account_id AS "accountId", callback_url AS url, state
     FROM service.task LEFT JOIN service.callback ON task_id = id WHERE id = $1`,
    [taskId],
  )
  const { rows: attempts } = await sql.query<AttemptRecord>(
    `SELECT number, started_at AS "startedAt", ended_at AS "endedAt", status, failure
     FROM service.callback_attempt WHERE task_id = $1 ORDER BY number`,
    [taskId],
  )
  return rows[0] && { ...rows[0], attempts }
}

/** A callback that is not delivered, and that nobody tries again before an operator does. */
export interface FailedCallback {
  taskId: number
  accountId: number
  url: string
  failedAt: Date
  /** All that were made, those before it was sent again included. */
  attempts: number
  status: number | null
  failure: string | null
}

/**
 * Lists the callbacks that are not delivered after their last attempt, the latest first.
 *
 * @param accountId Undefined for those of all accounts.
 */
export async function listFailedCallbacks(
  sql: Sql,
  { accountId, callbacksMax }: { accountId?: number | undefined; callbacksMax: number },
): Promise<FailedCallback[]> {
  const { rows } = await sql.query<FailedCallback>(
    `SELECT callback.task_id AS "taskId", account_id AS "accountId", callback_url AS url,
            callback.ended_at AS "failedAt", coalesce(number, 0) AS attempts, last.status, failure
     FROM service.callback
     JOIN service.task ON task.id = callback.task_id
     LEFT JOIN LATERAL (
       SELECT number, status, failure FROM service.callback_attempt
       WHERE task_id = callback.task_id ORDER BY number DESC LIMIT 1
     ) AS last ON true
     WHERE state = 'failed' AND ($1::int IS NULL OR account_id = $1)
     ORDER BY callback.ended_at DESC, callback.task_id DESC LIMIT $2`,
    [accountId, callbacksMax],
  )
  return rows
}

/** The callbacks that are sent again: that of a task, or all that failed, of an account or of all. */
export type CallbacksToSend = { taskId: number } | { failedOf: number | 'all' }

/**
 * Has callbacks that have ended sent again, with the same bytes: three attempts of each that are due as if its task had
 * ended now. A process that delivers callbacks makes them; the next start does, if none runs.
 *
 * @returns How many this call did: not one that is being sent.
 */
export async function sendCallbacksAgain(sql: Sql, which: CallbacksToSend): Promise<number> {
  const taskId = 'taskId' in which ? which.taskId : null
  const accountId = 'taskId' in which || which.failedOf === 'all' ? null : which.failedOf
  const { rowCount } = await sql.query(
    `WITH again AS (
       UPDATE service.callback
       SET state = 'pending', ended_at = NULL, due_at = now(), failed_visits = 0, sent_again_at = now(),
         attempts_before = greatest(attempts_before,
           (SELECT max(number) FROM service.callback_attempt AS attempt
            WHERE attempt.task_id = callback.task_id))
       FROM service.task
       WHERE task.id = callback.task_id AND ($2::int IS NULL OR account_id = $2)
         AND CASE WHEN $1::int IS NULL THEN state = 'failed'
             ELSE callback.task_id = $1 AND state <> 'pending' END
       RETURNING 1)
     SELECT pg_notify('service.callback', '') FROM again`,
    [taskId, accountId],
  )
  return rowCount ?? 0
}
