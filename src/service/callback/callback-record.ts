/** Statements by which an operator looks at a callback and has it sent again. */
import type { Sql } from '../ledger/sql.ts'

export interface AttemptRecord {
  number: number
  startedAt: Date
  endedAt: Date | null
  /** The receiver's answer. */
  status: number | null
  /** The reason why there was no answer: a word of docs/service.md#life-of-a-callback. */
  failure: string | null
}

export interface CallbackRecord {
  accountId: number
  url: string | null
  /** null as long as the task has not ended, and where it has no callback. */
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

/**
 * Has a callback that has ended sent again, with the same bytes: three attempts that are due as if its task had
 * ended now. A process that delivers callbacks makes them; the next start does, if none runs.
 *
 * @returns True if this call did: not where the callback is being sent, or there is none.
 */
export async function sendCallbackAgain(sql: Sql, taskId: number): Promise<boolean> {
  const { rowCount } = await sql.query(
    `WITH again AS (
       UPDATE service.callback
       SET state = 'pending', ended_at = NULL, due_at = now(), failed_visits = 0, sent_again_at = now(),
         attempts_before = greatest(attempts_before,
           (SELECT max(number) FROM service.callback_attempt WHERE task_id = $1))
       WHERE task_id = $1 AND state <> 'pending'
       RETURNING 1)
     SELECT pg_notify('service.callback', '') FROM again`,
    [taskId],
  )
  return rowCount === 1
}
