/** Statements by which an operator reads callbacks and has them sent again. */
import { findRow, readRows, type Sql } from '../ledger/sql.ts'

interface AttemptOutcome {
  status: number | null
  /** The reason why there was no answer: a word of docs/service.md#life-of-a-callback. */
  failure: string | null
}

export interface AttemptRecord extends AttemptOutcome {
  number: number
  startedAt: string
  endedAt: string | null
}

export interface CallbackRecord {
  accountId: number
  url: string | null
  state: 'pending' | 'delivered' | 'failed' | null
  attempts: AttemptRecord[]
}

export async function readCallbackRecord(
  sql: Sql,
  taskId: number,
): Promise<CallbackRecord | undefined> {
  const text = `
    SELECT account_id, callback_url AS url, state, coalesce(attempts, '[]') AS attempts
    FROM service.task LEFT JOIN service.callback ON task_id = id WHERE id = $1`
  return await findRow<CallbackRecord>(sql, text, [taskId])
}

export interface FailedCallback extends AttemptOutcome {
  taskId: number
  accountId: number
  url: string
  failedAt: Date
  attempts: number
}

/** The most failed callbacks that are listed. */
export const FAILED_MAX = 1_000

/** Lists the callbacks that failed three times, the latest first. */
export async function listFailedCallbacks(sql: Sql): Promise<FailedCallback[]> {
  const text = `
    SELECT task_id, account_id, callback_url AS url,
       callback.ended_at AS "failedAt", jsonb_array_length(attempts) AS attempts,
       (attempts -> -1 ->> 'status')::int AS status, attempts -> -1 ->> 'failure' AS failure
     FROM service.callback JOIN service.task ON task.id = task_id
     WHERE state = 'failed' ORDER BY callback.ended_at DESC, task_id DESC LIMIT ${FAILED_MAX}`
  return await readRows<FailedCallback>(sql, text)
}

/**
 * Makes three new attempts due for a task's callback that has ended, or for all that failed, with the same bytes.
 * Returns the number of callbacks.
 */
export async function sendCallbacksAgain(sql: Sql, taskId: number | undefined): Promise<number> {
  const { rowCount } = await sql.query(
    `WITH again AS (
       UPDATE service.callback SET state = 'pending', ended_at = NULL, due_at = now(), failed_visits = 0,
         sent_again_at = now(), tries = 0
       WHERE CASE WHEN $1::int IS NULL THEN state = 'failed' ELSE task_id = $1 AND state <> 'pending' END
       RETURNING 1)
     SELECT pg_notify('service.callback', '') FROM again`,
    [taskId],
  )
  return rowCount ?? 0
}
