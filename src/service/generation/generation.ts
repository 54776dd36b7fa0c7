/**
 * Drives tasks through their providers, one visit after the other, each under the lease of its process.
 *
 * In: due rows of `service.task`. Out: stored results, or a failure with a refund, and the task's callback.
 * Invariants: results are in our own storage before a task succeeds; work that may have begun is never ordered twice.
 *
 * | state | a visit | next |
 * | --- | --- | --- |
 * | waiting | is the first one | queuing |
 * | queuing | describes the work and stores the description | generating, fail |
 * | generating | begins the work, or asks how it stands | generating, success, fail |
 * | success, fail | there is none | |
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../platform/database/database.ts'
import {
  type DueAgain,
  type DueRows,
  dueAfterFailure,
  type Worker,
} from '../../platform/database/due-rows.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { foldRepeats } from '../../platform/fold-repeats.ts'
import { FileRefusedError } from '../../platform/http/fetch-file.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { backoffMs } from '../../platform/time/retry.ts'
import type { Callbacks } from '../callback/callbacks.ts'
import type { TaskFailure } from '../ledger/tasks.ts'
import type { Metrics } from '../metrics.ts'
import { type LastingRefusal, type ProviderFailure, toFailureLine } from '../providers/failure.ts'
import { mayHaveBegun } from '../providers/paid-work.ts'
import {
  type GenerationResult,
  ProviderError,
  type ProviderOperation,
} from '../providers/provider.ts'
import { type Endpoint, NOT_TAKEN, NOT_THERE } from './endpoints.ts'
import { type Storage, StorageUnavailableError } from './storage.ts'
import { createTasks, type LeasedTask } from './tasks.ts'

/** Tasks that a process drives at once: a provider may take minutes for a step. */
const TASKS_MAX = 8
const CHECK_INTERVAL_MS = 2000
const CHECK_MS_MAX = 180_000
const BEGIN = { firstMs: 1_000, maxMs: 30_000 }
const COPY_MS_MAX = 300_000
const COPY_MS_MIN = 60_000
/** Failed copies after which a result is given up. They take six minutes or more. */
const COPIES_MAX = 12
const STORE_INTERVAL_MS = 10_000
/** The deadline of a task whose endpoint is no longer set up. */
const DEADLINE_MS_DEFAULT = 60 * 60_000
const ERROR_CHARS_MAX = 500

const FAILURES = {
  late: { code: 504, message: 'The provider did not finish in time.' },
  makerGone: { code: 502, message: 'The provider that began the work is not asked any more.' },
  noResult: { code: 502, message: 'The provider finished without a result.' },
  noRoom: { code: 503, message: 'The result could not be stored in time.' },
  notCopied: { code: 502, message: 'The result of the provider could not be kept.' },
  not_allowed: {
    code: 502,
    message: 'The result of the provider is where nothing is fetched from.',
  },
  too_large: { code: 502, message: 'The result of the provider is too large.' },
  wrong_media: {
    code: 502,
    message: 'The result of the provider is no file of the kind asked for.',
  },
} as const satisfies Record<string, TaskFailure>

export interface GenerationContext {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id' | 'leased'>
  dueRows: DueRows
  callbacks: Pick<Callbacks, 'keep'>
  /** Finds the endpoint for a task: the one whose provider has begun the work, if there is one. */
  endpoints: { get(path: string, begunBy?: unknown): Endpoint | undefined }
  storage: Storage
  publicRoot: () => string
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  metrics: Pick<Metrics, 'providerFailed' | 'storageRefused'>
  onTrouble: (trouble: 'storage_unavailable' | LastingRefusal) => void
  clock?: Clock
}

interface Visited extends LeasedTask {
  endpoint: Endpoint
  restMs: () => number
}

/** When the task is to be visited again; undefined if it has ended or its lease is lost. */
type Due = Promise<number | DueAgain | undefined>

export function createGeneration(ctx: GenerationContext) {
  const { database, instance, dueRows, endpoints, storage, log, clock = systemClock } = ctx
  const tasks = createTasks({ ...ctx, pool: database.pool, clock })
  const troubles = foldRepeats(log)
  /** Failed copies of tasks. The row's failed visits count failures of the provider as well, which cost no copy. */
  const failedCopies = new Map<number, number>()
  let worker: Worker | undefined
  return { start, stop }

  async function start(): Promise<void> {
    await storage.removePartial().catch((error: unknown) => {
      log.error({ err: error }, 'what was left of cut writes cannot be removed')
    })
    worker = dueRows.work({
      table: { name: 'service.task', key: 'id' },
      concurrency: TASKS_MAX,
      visit: ({ id }, signal) => visit(Number(id), signal),
    })
  }

  async function stop(timeoutMs: number): Promise<void> {
    await worker?.stop(timeoutMs)
  }

  /** Takes a leased task as far as it goes now. One bad visit ends nothing: only age does. */
  async function visit(id: number, signal: AbortSignal): Due {
    const task = await tasks.open(id, signal)
    if (task === undefined) return undefined
    const { operation, path } = task
    const isBegun = operation !== null && mayHaveBegun(operation)
    const endpoint = endpoints.get(path, isBegun ? task.maker : undefined)
    const restMs = () => (endpoint?.deadlineMs ?? DEADLINE_MS_DEFAULT) - task.ageMs()
    try {
      if (endpoint === undefined) {
        throw new Error(`Cannot drive task ${id}: no endpoint "${path}" is set up`)
      }
      return await drive({ ...task, endpoint, restMs })
    } catch (error) {
      // Nothing is known of the task then: the next process checks.
      signal.throwIfAborted()
      if (error instanceof StorageUnavailableError) recordUnavailable(error)
      if (restMs() <= 0) return await fail(task, operation === null ? NOT_THERE : FAILURES.late)
      if (endpoint === undefined || !(error instanceof ProviderError && error.failure)) throw error
      const message = 'provider did not answer for its work, asked again'
      log.warn(count({ ...task, endpoint }, error.failure), message)
      return dueAfterFailure(task)
    }
  }

  async function drive(task: Visited): Due {
    const { endpoint, operation: stored, maker } = task
    const isAnothers = stored !== null && maker !== endpoint.maker
    // Work of the same name at another provider is another customer's.
    if (isAnothers && mayHaveBegun(stored)) {
      const facts = { taskId: task.id, endpoint: task.path, maker }
      log.error(facts, 'work given up: the provider that began it is set up no more')
      return await fail(task, FAILURES.makerGone)
    }
    const operation = isAnothers || stored === null ? await begin(task) : stored
    if (operation === undefined) return undefined
    if (operation.phase === 'sent') {
      // An earlier visit may have stored the result without ending the task: the provider gives it only once.
      const found = await storage.find(task.resultStem, endpoint.media)
      if (found !== undefined) return await succeed(task, [found])
    }
    await instance.leased()
    const state = await endpoint.provider.check(operation, {
      save: (next) => save(task, next),
      signal: within(CHECK_MS_MAX, task.signal),
    })
    const isAtWork = state.status === 'generating' || state.status === 'success'
    // An answer for work that was begun before does not show that the provider takes new work.
    if (isAtWork && operation.phase !== 'begun') endpoint.health.worked()
    switch (state.status) {
      case 'unbegun':
        return await tryAgain(task, state.failure)
      case 'refused':
        return await refused(task, state.failure)
      case 'generating':
        if (task.restMs() <= 0) return await fail(task, FAILURES.late)
        return state.checkAfterMs ?? CHECK_INTERVAL_MS
      case 'fail':
        if (state.failure) log.warn(count(task, state.failure), 'provider did not begin the work')
        return await fail(task, state)
      case 'success':
        return await keepResults(task, state.results)
    }
  }

  async function begin(task: Visited): Promise<ProviderOperation | undefined> {
    if (task.restMs() <= 0) return await fail(task, NOT_THERE)
    const operation = await task.endpoint.provider.start(task.params, toKey(task))
    return (await tasks.storeOperation(task, operation)) ? operation : undefined
  }

  async function save(task: Visited, operation: ProviderOperation): Promise<void> {
    if (task.restMs() <= 0) throw new Error(`Cannot go on with task ${task.id}: it is too old`)
    if (!(await tasks.storeOperation(task, operation))) {
      throw new Error(`Cannot go on with task ${task.id}: its lease is lost`)
    }
  }

  /** Tries again to begin, ever later, until `creationMs` after the first visit; not if the provider asks for more time. */
  async function tryAgain(task: Visited, failure: ProviderFailure): Due {
    // A failure that our stop caused is not the provider's.
    task.signal.throwIfAborted()
    const { endpoint, failedVisits } = task
    const { retryAfterMs = 0 } = failure
    const restMs = Math.min(endpoint.creationMs - task.visitedMs(), task.restMs())
    const isLast = restMs <= 0 || retryAfterMs > restMs
    const isAway = failure.kind === 'unreachable' || failure.status === 503
    if (isLast || isAway) endpoint.health.failed(failure)
    log.warn(count(task, failure), 'provider busy or away, tried again')
    if (isLast) return await fail(task, NOT_THERE)
    // A Retry-After of 0, or a date that is past, is no reason to ask without a pause.
    const waitMs = failure.retryAfterMs ?? backoffMs(BEGIN, failedVisits + 1)
    const dueInMs = Math.min(Math.max(BEGIN.firstMs, waitMs), restMs)
    return { dueInMs, failedVisits: failedVisits + 1 }
  }

  async function refused(task: Visited, failure: ProviderFailure): Due {
    const { path, upstream, health } = task.endpoint
    health.failed(failure)
    log.error(count(task, failure), 'provider takes no work: the reason is for you to mend')
    ctx.onTrouble({ endpoint: path, upstream, failure })
    return await fail(task, NOT_TAKEN)
  }

  /** Counts a failure of the provider. @returns The facts of its line in the log. */
  function count(task: Pick<Visited, 'id' | 'accountId' | 'endpoint'>, failure: ProviderFailure) {
    const { path, upstream } = task.endpoint
    ctx.metrics.providerFailed({ model: path, upstream, kind: failure.kind })
    const work = { endpoint: path, upstream, accountId: task.accountId, taskId: task.id }
    return toFailureLine(work, failure)
  }

  function recordUnavailable(error: StorageUnavailableError): void {
    ctx.metrics.storageRefused(error.code)
    ctx.onTrouble('storage_unavailable')
    troubles.error({ err: error }, 'finished results cannot be stored, and wait for room')
  }

  /**
   * Stores the results, and then ends the task. A full storage is waited for until the deadline. Links are copied at a
   * later visit; bytes are here only now, so that this visit waits and begins no more work without room.
   */
  async function keepResults(task: Visited, results: readonly GenerationResult[]): Due {
    if (results.length === 0) return await fail(task, FAILURES.noResult)
    for (;;) {
      try {
        return await succeed(task, await storeAll(task, results))
      } catch (error) {
        task.signal.throwIfAborted()
        if (!(error instanceof StorageUnavailableError)) return await judgeCopy(task, error)
        recordUnavailable(error)
      }
      if (task.restMs() <= 0) return await fail(task, FAILURES.noRoom)
      if (results.every(({ type }) => type === 'url')) return STORE_INTERVAL_MS
      await clock.sleep(STORE_INTERVAL_MS, task.signal)
    }
  }

  /** @throws The error if the copy may be tried again: the provider is then asked for its link again. */
  async function judgeCopy(task: Visited, error: unknown): Promise<undefined> {
    if (error instanceof FileRefusedError) return await fail(task, FAILURES[error.code])
    const copies = (failedCopies.get(task.id) ?? 0) + 1
    failedCopies.set(task.id, copies)
    if (copies < COPIES_MAX) throw error
    return await fail(task, FAILURES.notCopied)
  }

  async function storeAll(task: Visited, results: readonly GenerationResult[]): Promise<string[]> {
    // A file that keeps coming does not keep its task beyond the deadline by more than a minute.
    const copyMs = Math.min(COPY_MS_MAX, Math.max(COPY_MS_MIN, task.restMs()))
    const signal = within(copyMs, task.signal)
    // Each of several has a name of its own: of those under the task's name it could not be known that all are there.
    const stem = results.length === 1 ? task.resultStem : undefined
    const names: string[] = []
    try {
      for (const result of results) {
        names.push(await storage.store(result, task.endpoint, signal, stem))
      }
      return names
    } catch (error) {
      // Files that a disk in trouble does not remove stay there, under names that nothing refers to.
      await storage.remove(names).catch(() => {})
      throw error
    }
  }

  async function succeed(task: LeasedTask, names: readonly string[]): Promise<undefined> {
    const kept = await tasks.succeed(task, names)
    failedCopies.delete(task.id)
    // If another process continues the task, it may find the result by these names.
    if (kept === undefined) return
    const unused = names.filter((name) => !kept.includes(name))
    if (unused.length === 0) log.info({ taskId: task.id }, 'task succeeded')
    else await storage.remove(unused)
  }

  async function fail(task: LeasedTask, { code, message }: TaskFailure): Promise<undefined> {
    failedCopies.delete(task.id)
    // PostgreSQL keeps neither U+0000 nor half of a surrogate pair.
    const storable = message.replaceAll('\0', '').slice(0, ERROR_CHARS_MAX).toWellFormed()
    const hasFailed = await tasks.fail(task, { code, message: storable })
    if (hasFailed) log.warn({ taskId: task.id, code }, 'task failed and was refunded')
  }
}

/** The time is in it because an emptied database counts its tasks from 1 again. */
function toKey({ id, createdAt }: LeasedTask): string {
  return `task-${id}-${createdAt.getTime()}`
}

function within(timeoutMs: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
}
