import type { RefusedUrl } from '../../platform/http/find-target.ts'
import type { Sql } from '../ledger/sql.ts'
import type { PostOutcome } from './post.ts'
import { ATTEMPTS_MAX } from './schedule.ts'

/** A callback that is not delivered and that this process has leased. */
export interface PendingCallback {
  url: string
  secret: string
  body: Buffer
  attempts: number
  attemptsBefore: number
  /** Since the task's end, or since it is sent again. By the database's clock, in whole milliseconds. */
  sinceEndMs: number
}

/** How an attempt ended: the receiver's status, or what kept it from giving one. */
export type AttemptOutcome = PostOutcome | { failure: RefusedUrl['refusal'] }

/**
 * The statements about callbacks and their attempts.
 *
 * Invariants: one callback per task; each attempt has a number that is given once, before anything is sent, and
 * there are three in a row, so no crash and no second process makes a fourth.
 *
 * @param leaseOwner This process. It makes attempts of callbacks that it has leased.
 */
export function createStoredCallbacks({ sql, leaseOwner }: { sql: Sql; leaseOwner: number }) {
  return { readTime, keep, read, beginAttempt, endAttempt, giveUp }

  /** The Unix time of the transaction, in whole seconds: receivers judge by it, so it is not a process's own. */
  async function readTime(within: Sql): Promise<number> {
    const { rows } = await within.query<{ seconds: number }>(
      'SELECT floor(extract(epoch FROM now()))::float8 AS seconds',
    )
    if (rows[0] === undefined) throw new TypeError('Cannot read time: no row')
    return rows[0].seconds
  }

  /**
   * Keeps the notification of a task's end, if the task's creator asked for a callback. Its first
   * attempt is due with the commit of the transaction `within`, which ends the task.
   */
  async function keep(within: Sql, taskId: number, body: Uint8Array): Promise<void> {
    await within.query(
      `WITH callback AS (
         INSERT INTO service.callback (task_id, body, due_at)
         SELECT id, $2, now() FROM service.task WHERE id = $1 AND callback_url IS NOT NULL
         RETURNING 1)
       SELECT pg_notify('service.callback', '') FROM callback`,
      [taskId, body],
    )
  }

  /**
   * Reads a leased callback. An attempt that has no end broke off with its process, or its end could
   * not be written: it is closed.
   */
  async function read(taskId: number): Promise<PendingCallback | undefined> {
    const { rows } = await sql.query<PendingCallback>(
      `WITH leased AS (
         SELECT task_id, body, sent_again_at, attempts_before FROM service.callback
         WHERE task_id = $1 AND lease_owner = $2 AND state = 'pending'
       ), broken AS (
         UPDATE service.callback_attempt AS attempt SET ended_at = now(), failure = 'process_died'
         FROM leased WHERE attempt.task_id = leased.task_id AND attempt.ended_at IS NULL
       )
       SELECT task.callback_url AS url, account.callback_secret AS secret, leased.body,
              (SELECT count(*)::int FROM service.callback_attempt
               WHERE task_id = $1 AND number > attempts_before) AS attempts,
              attempts_before AS "attemptsBefore",
              ceil(extract(epoch FROM now() - coalesce(sent_again_at, task.ended_at)) * 1000)::float8
                AS "sinceEndMs"
       FROM leased
       JOIN service.task ON task.id = leased.task_id
       JOIN service.account ON account.id = task.account_id`,
      [taskId, leaseOwner],
    )
    return rows[0]
  }

  /** @returns When it begins, in whole seconds of Unix time; undefined if another process was faster. */
  async function beginAttempt(taskId: number, number: number): Promise<number | undefined> {
    const { rows } = await sql.query<{ timestamp: number }>(
      `INSERT INTO service.callback_attempt (task_id, number) VALUES ($1, $2) ON CONFLICT DO NOTHING
       RETURNING floor(extract(epoch FROM started_at))::float8 AS timestamp`,
      [taskId, number],
    )
    return rows[0]?.timestamp
  }

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
       UPDATE service.callback SET ended_at = now(), due_at = NULL, lease_owner = NULL,
         state = CASE WHEN $5 THEN 'delivered' ELSE 'failed' END::service.callback_state
       WHERE task_id = $1 AND state = 'pending' AND ($5 OR $2 = attempts_before + ${ATTEMPTS_MAX})`,
      [taskId, number, status, failure, isDelivered],
    )
    return isDelivered
  }

  async function giveUp(taskId: number): Promise<void> {
    await sql.query(
      `UPDATE service.callback SET state = 'failed', ended_at = now(), due_at = NULL, lease_owner = NULL
       WHERE task_id = $1 AND state = 'pending'`,
      [taskId],
    )
  }
}
