import { aliveSql } from '../../database/instance.ts'
import type { Sql } from '../ledger/sql.ts'
import { ATTEMPTS_MAX } from './schedule.ts'

/** A callback that is not delivered and that no other process is delivering. */
export interface PendingCallback {
  url: string
  secret: string
  body: Buffer
  /** How many were begun. */
  attempts: number
  /** By the database's clock, in whole milliseconds: an end is stored to the nearest one. */
  sinceEndMs: number
}

/** How an attempt ended: the receiver's status, or what kept it from giving one. */
export type AttemptOutcome = { status: number } | { failure: string }

export type StoredCallbacks = ReturnType<typeof createStoredCallbacks>

/**
 * The statements about callbacks and their attempts.
 *
 * Invariants: one callback per task; each attempt has a number from 1 to 3 that is given once, before
 * anything is sent, so no crash and no second process makes a fourth.
 *
 * @param instanceId This process (`src/database/instance.ts`).
 */
export function createStoredCallbacks({ sql, instanceId }: { sql: Sql; instanceId: number }) {
  return { keep, take, beginAttempt, endAttempt, giveUp, findPending }

  /**
   * Keeps the notification of a task's end, inside of the transaction that ends it.
   *
   * @returns Whether the task's creator asked for a callback.
   */
  async function keep(within: Sql, taskId: number, body: Uint8Array): Promise<boolean> {
    const { rowCount } = await within.query(
      `INSERT INTO service.callback (task_id, body)
       SELECT id, $2 FROM service.task WHERE id = $1 AND callback_url IS NOT NULL`,
      [taskId, body],
    )
    return rowCount === 1
  }

  /**
   * Looks at a callback, having closed the attempts of processes that died.
   *
   * Attempts of our own that are open here are ones whose end could not be written.
   */
  async function take(taskId: number): Promise<PendingCallback | undefined> {
    const { rows } = await sql.query<PendingCallback>(
      `WITH broken AS (
         UPDATE service.callback_attempt SET ended_at = now(), failure = 'process_died'
         WHERE task_id = $1 AND ended_at IS NULL
           AND (instance_id = $2 OR NOT ${aliveSql('instance_id')})
       )
       SELECT task.callback_url AS url, account.callback_secret AS secret, callback.body,
              (SELECT count(*)::int FROM service.callback_attempt WHERE task_id = $1) AS attempts,
              ceil(extract(epoch FROM now() - task.ended_at) * 1000)::float8 AS "sinceEndMs"
       FROM service.callback
       JOIN service.task ON task.id = callback.task_id
       JOIN service.account ON account.id = task.account_id
       WHERE callback.task_id = $1 AND callback.state = 'pending' AND NOT ${attemptedElsewhere('$2')}`,
      [taskId, instanceId],
    )
    return rows[0]
  }

  /** @returns Whether the attempt is ours; false if another process was faster. */
  async function beginAttempt(taskId: number, number: number): Promise<boolean> {
    const { rowCount } = await sql.query(
      `INSERT INTO service.callback_attempt (task_id, number, instance_id) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING`,
      [taskId, number, instanceId],
    )
    return rowCount === 1
  }

  /** Writes down how an attempt ended; a 2xx ends the callback as `delivered`, the last one else as `failed`. */
  async function endAttempt(
    taskId: number,
    number: number,
    outcome: AttemptOutcome,
  ): Promise<boolean> {
    const status = 'status' in outcome ? outcome.status : null
    const failure = 'failure' in outcome ? outcome.failure : null
    const isDelivered = status !== null && status >= 200 && status < 300
    await sql.query(
      `WITH attempt AS (
         UPDATE service.callback_attempt SET ended_at = now(), status = $3, failure = $4
         WHERE task_id = $1 AND number = $2 AND ended_at IS NULL
       )
       UPDATE service.callback SET ended_at = now(),
         state = CASE WHEN $5 THEN 'delivered' ELSE 'failed' END::service.callback_state
       WHERE task_id = $1 AND state = 'pending' AND ($5 OR $2 = ${ATTEMPTS_MAX})`,
      [taskId, number, status, failure, isDelivered],
    )
    return isDelivered
  }

  /** Ends a callback whose last attempt broke off. */
  async function giveUp(taskId: number): Promise<void> {
    await sql.query(
      `UPDATE service.callback SET state = 'failed', ended_at = now()
       WHERE task_id = $1 AND state = 'pending'`,
      [taskId],
    )
  }

  /** @returns Ids, ascending, of tasks after `afterId` whose callback nobody else is delivering. */
  async function findPending({
    afterId,
    limit,
  }: {
    afterId: number
    limit: number
  }): Promise<number[]> {
    const { rows } = await sql.query<{ id: number }>(
      `SELECT task_id AS id FROM service.callback
       WHERE state = 'pending' AND task_id > $1 AND NOT ${attemptedElsewhere('$3')}
       ORDER BY task_id LIMIT $2`,
      [afterId, limit, instanceId],
    )
    return rows.map((row) => row.id)
  }
}

/** True where another living process is making an attempt. */
function attemptedElsewhere(instance: string): string {
  return `EXISTS (
    SELECT FROM service.callback_attempt AS open
    WHERE open.task_id = callback.task_id AND open.ended_at IS NULL
      AND open.instance_id <> ${instance} AND ${aliveSql('open.instance_id')})`
}
