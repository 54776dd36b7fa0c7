import { lookup } from 'node:dns/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/database.ts'
import type { Instance } from '../../database/instance.ts'
import type { DueRows, Worker } from '../../jobs/due-rows.ts'
import type { Sql } from '../ledger/sql.ts'
import type { AllowedPair } from './allowed-pair.ts'
import { createDelivery } from './delivery.ts'
import { buildNotification, type TaskEnding } from './notification.ts'
import type { PostTimeouts } from './post.ts'
import { createStoredCallbacks } from './stored-callbacks.ts'
import { createUrlGuard, type Resolve } from './url-guard.ts'

/** Connections at once from one process. A slow receiver keeps its own for 15 s. */
const DELIVERIES_MAX = 100
const RESOLVE_MS_MAX = 5000
const TIMEOUTS: PostTimeouts = { connectMs: 5000, readMs: 10_000 }

export interface CallbacksDeps {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id'>
  dueRows: DueRows
  /** Pairs of host and port that callbacks may go to although they are private. */
  allow: ReadonlySet<AllowedPair>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  resolve?: Resolve
  timeouts?: PostTimeouts
  now?: () => Date
  /** Told what each attempt came to, in a word. */
  onAttempt?: (outcome: string) => void
}

/** The signed POSTs that tell of the ends of tasks. */
export interface Callbacks {
  /** @returns What is wrong with a callback URL, for its caller; undefined if a callback may go there. */
  findProblem(url: string): Promise<string | undefined>
  /** Keeps the notification of a task's end, inside of the transaction that ends it, to be delivered. */
  keep(sql: Sql, ending: TaskEnding): Promise<void>
  /** Begins to deliver, first what an earlier process left behind. */
  start(): void
  /** Begins no more attempts and lets the running ones end for `timeoutMs`, then cuts them off. */
  stop(timeoutMs: number): Promise<void>
}

/** Checks callback URLs and delivers callbacks. */
export function createCallbacks({
  database,
  instance,
  dueRows,
  allow,
  log,
  resolve = (hostname) => lookup(hostname, { all: true }),
  timeouts = TIMEOUTS,
  now = () => new Date(),
  onAttempt = () => {},
}: CallbacksDeps): Callbacks {
  const stored = createStoredCallbacks({ sql: database.pool, leaseOwner: instance.id })
  const { findTarget } = createUrlGuard({ allow, resolve, resolveMsMax: RESOLVE_MS_MAX })
  const { deliver } = createDelivery({ stored, findTarget, timeouts, log, now, onAttempt })
  let worker: Worker | undefined
  return { findProblem, keep, start, stop }

  async function findProblem(url: string): Promise<string | undefined> {
    const target = await findTarget(url)
    return 'problem' in target ? target.problem : undefined
  }

  async function keep(sql: Sql, ending: TaskEnding): Promise<void> {
    const body = Buffer.from(JSON.stringify(buildNotification(ending, now())))
    await stored.keep(sql, ending.taskId, body)
  }

  function start(): void {
    worker = dueRows.work({
      table: { name: 'service.callback', key: 'task_id' },
      concurrency: DELIVERIES_MAX,
      visit: (taskId, signal) => deliver(Number(taskId), signal),
    })
  }

  async function stop(timeoutMs: number): Promise<void> {
    await worker?.stop(timeoutMs)
  }
}
