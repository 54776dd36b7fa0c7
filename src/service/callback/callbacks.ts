import { lookup } from 'node:dns/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/database.ts'
import type { Instance } from '../../database/instance.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { stopGracefully } from '../../time/graceful-stop.ts'
import type { Sql } from '../ledger/sql.ts'
import type { AllowedPair } from './allowed-pair.ts'
import { createDelivery } from './delivery.ts'
import { buildNotification, type TaskEnding } from './notification.ts'
import type { PostTimeouts } from './post.ts'
import { createStoredCallbacks } from './stored-callbacks.ts'
import { createUrlGuard, type Resolve } from './url-guard.ts'

/** Connections at once from one process. A slow receiver keeps its own for 15 s. */
const DELIVERIES_MAX = 100
/** When a delivery that found no room is looked at again. */
const NO_ROOM_RETRY_MS = 1000
const SWEEP_INTERVAL_MS = 5000
const SWEEP_PAGE = 500
const RESOLVE_MS_MAX = 5000
const TIMEOUTS: PostTimeouts = { connectMs: 5000, readMs: 10_000 }

export interface CallbacksDeps {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id'>
  jobs: Pick<Jobs, 'send' | 'work'>
  /** Pairs of host and port that callbacks may go to although they are private. */
  allow: ReadonlySet<AllowedPair>
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
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
  /**
   * Keeps the notification of a task's end, inside of the transaction that ends it.
   *
   * @returns Whether the task has a callback to deliver.
   */
  keep(sql: Sql, ending: TaskEnding): Promise<boolean>
  /** Has a kept callback delivered soon. If nobody can be told now, the sweep at work finds it. */
  send(taskId: number): Promise<void>
  /** Makes the attempt that is due; gives the time of the next, if there is one. */
  deliver(taskId: number): Promise<Date | undefined>
  /** Begins to deliver, first what an earlier process left behind. */
  start(): Promise<void>
  /** Begins no more attempts and lets the running ones end for `timeoutMs`, then cuts them off. */
  stop(timeoutMs: number): Promise<void>
}

/** Checks callback URLs and delivers callbacks. */
export function createCallbacks({
  database,
  instance,
  jobs,
  allow,
  log,
  resolve = (hostname) => lookup(hostname, { all: true }),
  timeouts = TIMEOUTS,
  now = () => new Date(),
  onAttempt = () => {},
}: CallbacksDeps): Callbacks {
  const stored = createStoredCallbacks({ sql: database.pool, instanceId: instance.id })
  const { findTarget } = createUrlGuard({ allow, resolve, resolveMsMax: RESOLVE_MS_MAX })
  const stopping = new AbortController()
  const { signal } = stopping
  const delivery = createDelivery({ stored, findTarget, timeouts, log, now, signal, onAttempt })
  const running = new Map<number, Promise<Date | undefined>>()
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | undefined
  return { findProblem, keep, send, deliver, start, stop }

  async function findProblem(url: string): Promise<string | undefined> {
    const target = await findTarget(url)
    return 'problem' in target ? target.problem : undefined
  }

  async function keep(sql: Sql, ending: TaskEnding): Promise<boolean> {
    const body = Buffer.from(JSON.stringify(buildNotification(ending, now())))
    return await stored.keep(sql, ending.taskId, body)
  }

  async function send(taskId: number): Promise<void> {
    try {
      await jobs.send('callback', String(taskId))
    } catch (error) {
      log.error({ err: error, taskId }, 'callback not sent to work, left to the sweep')
    }
  }

  async function start(): Promise<void> {
    await jobs.work('callback', async (id) => handOver(Number(id)))
    await sweep()
    timer = setInterval(() => {
      sweeping ??= sweep().finally(() => {
        sweeping = undefined
      })
    }, SWEEP_INTERVAL_MS)
  }

  async function stop(timeoutMs: number): Promise<void> {
    isStopping = true
    clearInterval(timer)
    await stopGracefully([...running.values(), sweeping], { timeoutMs, stopping })
  }

  /** Delivers beside the job, which ends at once: a slow receiver must not hold up its batch. */
  function handOver(taskId: number): Date | undefined {
    if (isStopping || running.size >= DELIVERIES_MAX) {
      return new Date(now().getTime() + NO_ROOM_RETRY_MS)
    }
    void deliverAndGoOn(taskId)
    return undefined
  }

  async function deliverAndGoOn(taskId: number): Promise<void> {
    try {
      const again = await deliver(taskId)
      if (again !== undefined) await jobs.send('callback', String(taskId), again)
    } catch (error) {
      log.error({ err: error, taskId }, 'callback not looked after, left to the sweep')
    }
  }

  async function deliver(taskId: number): Promise<Date | undefined> {
    // Whoever runs sees to what comes next.
    if (running.has(taskId)) return undefined
    const delivering = delivery.deliver(taskId)
    running.set(taskId, delivering)
    try {
      return await delivering
    } finally {
      running.delete(taskId)
    }
  }

  /** Finds callbacks of processes that died, and those whose job was never sent. */
  async function sweep(): Promise<void> {
    try {
      for (let afterId: number | undefined = 0; afterId !== undefined; ) {
        const ids = await stored.findPending({ afterId, limit: SWEEP_PAGE })
        for (const id of ids) if (!running.has(id)) await jobs.send('callback', String(id))
        afterId = ids.length === SWEEP_PAGE ? ids.at(-1) : undefined
      }
    } catch (error) {
      log.error({ err: error }, 'callbacks not swept, tried again later')
    }
  }
}
