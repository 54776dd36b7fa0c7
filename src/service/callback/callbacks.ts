/**
 * Checks callback URLs and delivers callbacks: three attempts at 0, 5 and 15 s after a task's end, with the same bytes.
 *
 * Invariants: the holder of the callback's lease stores an attempt before it sends anything, so that no crash makes a
 * fourth attempt; the outcome of an attempt leaves the task as it is.
 */
import type { FastifyBaseLogger } from 'fastify'
import { type CallbackNotification, signCallback, toModelName } from '../../contract/tasks.ts'
import type { Database } from '../../platform/database/database.ts'
import type { DueRows, Worker } from '../../platform/database/due-rows.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import type { AllowedPair } from '../../platform/http/url-guard.ts'
import {
  findTarget,
  type RefusedUrl,
  type Resolve,
  type Target,
} from '../../platform/http/url-guard.ts'
import { findRow, type Sql } from '../ledger/sql.ts'
import { type PostOutcome, type PostTimeouts, post } from './post.ts'

const CALLBACK_URL_CHARS_MAX = 500

/** When the attempts begin, counted from the task's end, or from an operator's command (interface document, Events). */
const ATTEMPT_DELAYS_MS = [0, 5000, 15_000] as const
/** Connections at once from one process. A slow receiver keeps its own for 15 s. */
const DELIVERIES_MAX = 100
const TIMEOUTS: PostTimeouts = { connectMs: 5000, readMs: 10_000 }

export interface TaskEnding {
  taskId: number
  endpoint: string
  outcome:
    | { status: 'success'; resultUrls: string[] }
    | { status: 'fail'; code: number; message: string }
}

export interface CallbacksDeps {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id' | 'leased'>
  dueRows: DueRows
  allow: ReadonlySet<AllowedPair>
  /** Below it, too: where a bot in the same process takes them. */
  allowBelow?: string | undefined
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  resolve?: Resolve
  onAttempt?: (outcome: string) => void
}

interface PendingCallback {
  taskId: number
  url: string
  secret: string
  body: Buffer
  /** Since the task's end, or since it is sent again: attempts, and the time by the database's clock. */
  tries: number
  sinceEndMs: number
  attemptsInAll: number
  /** The last attempt has no end: its process died, or its end could not be stored. */
  isCutOff: boolean
}

type AttemptOutcome = PostOutcome | { failure: RefusedUrl['refusal'] | 'process_died' }

export type Callbacks = ReturnType<typeof createCallbacks>

export function createCallbacks(deps: CallbacksDeps) {
  const { database, instance, dueRows, allow, allowBelow, log, resolve, onAttempt } = deps
  const { pool } = database
  let worker: Worker | undefined
  return { findProblem, keep, start, stop }

  async function findProblem(url: string): Promise<string | undefined> {
    const target = await findCallbackTarget(url)
    return 'problem' in target ? target.problem : undefined
  }

  async function findCallbackTarget(url: string): Promise<Target | RefusedUrl> {
    if (url.length <= CALLBACK_URL_CHARS_MAX) {
      return await findTarget(url, { allow, allowBelow, resolve })
    }
    const problem = `must not be longer than ${CALLBACK_URL_CHARS_MAX} characters`
    return { refusal: 'bad_url', problem, isLasting: true }
  }

  /** Stores the callback of a task, if its creator asked for one, in the transaction `sql` that ends the task. */
  async function keep(sql: Sql, ending: TaskEnding): Promise<void> {
    await sql.query(
      `WITH callback AS (
         INSERT INTO service.callback (task_id, body, due_at)
         SELECT id, $2, now() FROM service.task WHERE id = $1 AND callback_url IS NOT NULL RETURNING 1)
       SELECT pg_notify('service.callback', '') FROM callback`,
      [ending.taskId, Buffer.from(JSON.stringify(toNotification(ending)))],
    )
  }

  function start(): void {
    worker = dueRows.work({
      table: { name: 'service.callback', key: 'task_id' },
      concurrency: DELIVERIES_MAX,
      visit: ({ id: taskId }, signal) => deliver(Number(taskId), signal),
    })
  }

  async function stop(timeoutMs: number): Promise<void> {
    await worker?.stop(timeoutMs)
  }

  async function deliver(taskId: number, signal: AbortSignal): Promise<number | undefined> {
    const readAt = performance.now()
    const callback = await read(taskId)
    if (callback === undefined) return undefined
    const waitMs = nextAttemptInMs(callback)
    if (callback.isCutOff) await endAttempt(callback, { failure: 'process_died' }, waitMs)
    if (waitMs !== 0) return waitMs
    const timestamp = await beginAttempt(callback)
    if (timestamp === undefined) return undefined
    const outcome = await attempt(callback, timestamp, signal)
    const made = {
      ...callback,
      tries: callback.tries + 1,
      attemptsInAll: callback.attemptsInAll + 1,
      sinceEndMs: callback.sinceEndMs + (performance.now() - readAt),
    }
    const nextInMs = isDelivered(outcome) ? undefined : nextAttemptInMs(made)
    await endAttempt(made, outcome, nextInMs)
    return nextInMs
  }

  async function attempt(
    { url, secret, body }: PendingCallback,
    timestamp: number,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const target = await findCallbackTarget(url)
    if ('refusal' in target) return { failure: target.refusal }
    await instance.leased()
    const headers = {
      'content-type': 'application/json',
      ...signCallback({ secret, timestamp: String(timestamp), body }),
    }
    return await post(target, { headers, body }, TIMEOUTS, signal)
  }

  async function read(taskId: number): Promise<PendingCallback | undefined> {
    return await findRow<PendingCallback>(
      pool,
      `SELECT task_id, callback_url AS url, callback_secret AS secret, body, tries,
         ceil(extract(epoch FROM now() - coalesce(sent_again_at, task.ended_at)) * 1000)::float8 AS "sinceEndMs",
         jsonb_array_length(attempts) AS "attemptsInAll",
         tries > 0 AND attempts -> -1 ->> 'endedAt' IS NULL AS "isCutOff"
       FROM service.callback JOIN service.task ON task.id = task_id JOIN service.account ON account.id = account_id
       WHERE task_id = $1 AND callback.lease_owner = $2 AND callback.state = 'pending'`,
      [taskId, instance.id],
    )
  }

  /** Returns the time of the attempt in whole seconds of Unix time; undefined if the lease is lost. */
  async function beginAttempt({ taskId, tries }: PendingCallback): Promise<number | undefined> {
    const begun = await findRow<{ timestamp: number }>(
      pool,
      `UPDATE service.callback
       SET tries = tries + 1, attempts = attempts || jsonb_build_object(
         'number', jsonb_array_length(attempts) + 1, 'startedAt', now(), 'endedAt', null, 'status', null, 'failure', null)
       WHERE task_id = $1 AND lease_owner = $2 AND state = 'pending' AND tries = $3
       RETURNING floor(extract(epoch FROM now()))::float8 AS timestamp`,
      [taskId, instance.id, tries],
    )
    return begun?.timestamp
  }

  /** Stores, counts and logs the end of an attempt. @param nextInMs Undefined if it was the last one. */
  async function endAttempt(
    { taskId, tries, attemptsInAll }: PendingCallback,
    outcome: AttemptOutcome,
    nextInMs: number | undefined,
  ): Promise<void> {
    const ended = isDelivered(outcome) ? 'delivered' : 'failed'
    await pool.query(
      `UPDATE service.callback
       SET state = $5::service.callback_state,
         ended_at = CASE WHEN $5 <> 'pending' THEN now() END, due_at = CASE WHEN $5 = 'pending' THEN due_at END,
         attempts = jsonb_set(attempts, '{-1}', attempts -> -1 || $4 || jsonb_build_object('endedAt', now()))
       WHERE task_id = $1 AND lease_owner = $2 AND state = 'pending' AND tries = $3`,
      [taskId, instance.id, tries, outcome, nextInMs === undefined ? ended : 'pending'],
    )
    const failure = 'failure' in outcome ? outcome.failure : 'refused'
    onAttempt?.(isDelivered(outcome) ? 'delivered' : failure)
    const facts = { taskId, attempt: attemptsInAll, ...outcome }
    if (isDelivered(outcome)) log.info(facts, 'callback delivered')
    else if (nextInMs === undefined) log.warn(facts, 'callback not delivered, given up')
    else log.warn(facts, 'callback not delivered, tried again')
  }
}

/** Returns in how many milliseconds the next attempt is due; undefined if there is no other. */
export function nextAttemptInMs({
  tries,
  sinceEndMs,
}: Pick<PendingCallback, 'tries' | 'sinceEndMs'>): number | undefined {
  const dueMs = ATTEMPT_DELAYS_MS[tries]
  return dueMs === undefined ? undefined : Math.max(0, dueMs - sinceEndMs)
}

function isDelivered(outcome: AttemptOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300
}

function toNotification({ taskId, endpoint, outcome }: TaskEnding): CallbackNotification {
  const isSuccess = outcome.status === 'success'
  return {
    task_id: taskId,
    status: outcome.status,
    code: isSuccess ? 200 : outcome.code,
    result_urls: isSuccess ? outcome.resultUrls : null,
    error: isSuccess ? null : outcome.message,
    model: toModelName(endpoint),
    timestamp: Math.floor(Date.now() / 1000),
  }
}
