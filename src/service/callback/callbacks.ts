import type { FastifyBaseLogger } from 'fastify'
import { signCallback } from '../../contract/tasks.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import type { Resolve } from '../../platform/http/find-target.ts'
import type { AllowedPair } from '../../platform/http/outside-url.ts'
import type { DueRows, Worker } from '../../platform/jobs/due-rows.ts'
import type { Sql } from '../ledger/sql.ts'
import { findCallbackTarget } from './callback-target.ts'
import { buildNotification, type TaskEnding } from './notification.ts'
import { type PostTimeouts, post } from './post.ts'
import { nextAttemptInMs } from './schedule.ts'
import {
  type AttemptOutcome,
  createStoredCallbacks,
  type PendingCallback,
} from './stored-callbacks.ts'

/** Connections at once from one process. A slow receiver keeps its own for 15 s. */
const DELIVERIES_MAX = 100
const TIMEOUTS: PostTimeouts = { connectMs: 5000, readMs: 10_000 }

export interface CallbacksDeps {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id' | 'leased'>
  dueRows: DueRows
  allow: ReadonlySet<AllowedPair>
  /** Below it, too: where a bot in the same process takes them. */
  allowBelow?: string | undefined
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  resolve?: Resolve
  timeouts?: PostTimeouts
  onAttempt?: (outcome: string) => void
}

export type Callbacks = ReturnType<typeof createCallbacks>

/**
 * Checks callback URLs and delivers callbacks, the signed POSTs that report the ends of tasks. The outcome
 * of an attempt leaves the task as it is.
 */
export function createCallbacks({
  database,
  instance,
  dueRows,
  allow,
  allowBelow,
  log,
  resolve,
  timeouts = TIMEOUTS,
  onAttempt = () => {},
}: CallbacksDeps) {
  const stored = createStoredCallbacks({ sql: database.pool, leaseOwner: instance.id })
  const guard = { allow, allowBelow, resolve }
  let worker: Worker | undefined
  return { findProblem, keep, start, stop }

  async function findProblem(url: string): Promise<string | undefined> {
    const target = await findCallbackTarget(url, guard)
    return 'problem' in target ? target.problem : undefined
  }

  async function keep(sql: Sql, ending: TaskEnding): Promise<void> {
    const body = JSON.stringify(buildNotification(ending, await stored.readTime(sql)))
    await stored.keep(sql, ending.taskId, Buffer.from(body))
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
    const callback = await stored.read(taskId)
    if (callback === undefined) return undefined
    const waitMs = nextAttemptInMs(callback)
    if (waitMs === undefined) {
      await stored.giveUp(taskId)
      log.warn({ taskId }, 'callback given up: its last attempt broke off')
    }
    if (waitMs !== 0) return waitMs
    const attempts = callback.attempts + 1
    const number = callback.attemptsBefore + attempts
    const timestamp = await stored.beginAttempt(taskId, number)
    if (timestamp === undefined) return undefined
    const outcome = await attempt(callback, timestamp, signal)
    const sinceEndMs = callback.sinceEndMs + (performance.now() - readAt)
    const nextInMs = nextAttemptInMs({ attempts, sinceEndMs })
    const isDelivered = await endAttempt({ taskId, number, nextInMs }, outcome)
    return isDelivered ? undefined : nextInMs
  }

  async function attempt(
    { url, secret, body }: PendingCallback,
    timestamp: number,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const target = await findCallbackTarget(url, guard)
    if ('refusal' in target) return { failure: target.refusal }
    await instance.leased()
    const headers = {
      'content-type': 'application/json',
      ...signCallback({ secret, timestamp: String(timestamp), body }),
    }
    return await post(target, { headers, body }, timeouts, signal)
  }

  async function endAttempt(
    { taskId, number, nextInMs }: { taskId: number; number: number; nextInMs: number | undefined },
    outcome: AttemptOutcome,
  ): Promise<boolean> {
    const isDelivered = await stored.endAttempt(taskId, number, outcome)
    onAttempt(isDelivered ? 'delivered' : 'failure' in outcome ? outcome.failure : 'refused')
    const facts = { taskId, attempt: number, ...outcome }
    if (isDelivered) log.info(facts, 'callback delivered')
    else if (nextInMs !== undefined) log.warn(facts, 'callback not delivered, tried again')
    else log.warn(facts, 'callback not delivered, given up')
    return isDelivered
  }
}
