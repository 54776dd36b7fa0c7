/**
 * Answers an account that polls one of its own tasks, at most once in 3 s.
 *
 * Invariant: of two polls of a task closer together one is refused, also if they come to different processes.
 * A poll is accepted by writing its instant into the task's row, so the second waits for the first and
 * is judged by it. The one clock is the database's.
 */
import type { TaskStatus } from '../../contract/tasks.ts'
import { RequestRefusedError } from '../ledger/errors.ts'
import type { Sql } from '../ledger/sql.ts'

const POLL_INTERVAL_MS = 3000

/** The state of a task, for its owner. */
export interface PolledTask {
  status: TaskStatus
  files: string[]
  errorCode: number | null
  errorMessage: string | null
}

// The snapshot's `polled_at` may be older than the one that the update was judged by: if it would
// let the poll pass, another was just accepted, and the whole interval is ahead. One that is ahead by more than
// an interval is from before the clock was set back.
const POLL = `
  WITH task AS (
    SELECT id, polled_at + $3::int * interval '1 ms' AS free_at FROM service.task
    WHERE id = $1 AND account_id = $2
  ), polled AS (
    UPDATE service.task AS polled SET polled_at = clock_timestamp()
    FROM task WHERE polled.id = task.id
      AND COALESCE(polled.polled_at NOT BETWEEN clock_timestamp() - $3::int * interval '1 ms'
        AND clock_timestamp() + $3::int * interval '1 ms', true)
    RETURNING polled.status, polled.files, polled.error_code, polled.error_message
  )
  SELECT polled.status, polled.files, polled.error_code AS "errorCode",
         polled.error_message AS "errorMessage",
         CASE WHEN task.free_at > clock_timestamp()
           THEN EXTRACT(EPOCH FROM task.free_at - clock_timestamp())::float8 * 1000
           ELSE $3::int END AS "waitMs"
  FROM task LEFT JOIN polled ON true`

/**
 * Reads a task for its owner.
 *
 * @returns undefined if the account has no such task; that counts towards nothing.
 * @throws {RequestRefusedError} If the task was polled less than 3 s ago.
 */
export async function pollTask(
  sql: Sql,
  { taskId, accountId }: { taskId: number; accountId: number },
): Promise<PolledTask | undefined> {
  const { rows } = await sql.query<
    { waitMs: number } & (PolledTask | { [field in keyof PolledTask]: null })
  >({ name: 'task-poll', text: POLL, values: [taskId, accountId, POLL_INTERVAL_MS] })
  const row = rows[0]
  if (row !== undefined && row.status === null) {
    throw new RequestRefusedError({ code: 'rate_limit_reached', retryAfterMs: row.waitMs })
  }
  return row
}
