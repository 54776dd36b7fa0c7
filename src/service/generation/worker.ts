import type { FastifyBaseLogger } from 'fastify'
import { stopGracefully } from '../../time/graceful-stop.ts'
import type {
  GenerationResult,
  GenerationState,
  GenerationStep,
  ProviderOperation,
} from '../providers/provider.ts'
import { ResultTooLargeError, type Storage } from '../storage/storage.ts'
import type { Endpoint } from './endpoint.ts'
import {
  type Failure,
  NO_RESULT,
  NOT_COPIED,
  NOT_THERE,
  TOO_LARGE,
  TOO_LATE,
  toRefusal,
  toStorable,
} from './failures.ts'
import type { TaskEnds } from './task-ends.ts'
import type { LeasedTask, Tasks } from './tasks.ts'

// Together well below the time after which the job queue gives a visit up.
const START_MS_MAX = 60_000
const CHECK_MS_MAX = 180_000
const COPY_MS_MAX = 300_000
/** A result that cannot be copied so many times, in two minutes or more, is gone. */
const COPY_TRIES_MAX = 12

/** For a task whose endpoint is no longer set up. */
const DEADLINE_MS_DEFAULT = 60 * 60_000

const RETRY_MS_MIN = 2000
const RETRY_MS_MAX = 60_000
/** How often a process that is stopping hands a visit on. */
const STOPPING_RETRY_MS = 1000

export interface WorkerDeps {
  /** By path. */
  endpoints: ReadonlyMap<string, Endpoint>
  tasks: Tasks
  ends: TaskEnds
  storage: Pick<Storage, 'store' | 'remove'>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  now: () => Date
}

/**
 * Drives tasks through their providers: waiting → queuing → generating → success | fail.
 *
 * A visit holds the task's lease from its beginning to its end, so no two of them work on one task,
 * in this process or in others. What goes wrong on the way is tried again until the task is too old.
 */
export function createWorker(deps: WorkerDeps) {
  const { endpoints, tasks, ends, storage, log, now } = deps
  const visits = new Map<number, Promise<unknown>>()
  /** Copies that went wrong, by task. A restart forgets them: the deadline still holds. */
  const failedCopies = new Map<number, number>()
  const stopping = new AbortController()
  let isStopping = false
  return { visit, stop }

  /**
   * Takes a task as far as it goes now.
   *
   * @returns When to look again; undefined if it has ended or somebody else looks at it.
   */
  async function visit(id: string): Promise<Date | undefined> {
    const taskId = Number(id)
    if (isStopping) return after(STOPPING_RETRY_MS)
    if (visits.has(taskId)) return undefined
    const running = visitAlone(taskId)
    visits.set(taskId, running)
    try {
      return await running
    } finally {
      visits.delete(taskId)
    }
  }

  /** Lets running visits end for `timeoutMs`, then cuts them off; their tasks go on elsewhere. */
  async function stop(timeoutMs: number): Promise<void> {
    isStopping = true
    await stopGracefully(visits.values(), { timeoutMs, stopping })
  }

  async function visitAlone(taskId: number): Promise<Date | undefined> {
    const task = await tasks.lease(taskId)
    if (task === undefined) return undefined
    try {
      return await drive(task)
    } catch (error) {
      if (stopping.signal.aborted) return after(STOPPING_RETRY_MS)
      return await retryLater(task, error)
    } finally {
      await tasks.release(taskId)
    }
  }

  async function drive(task: LeasedTask): Promise<Date | undefined> {
    const endpoint = endpoints.get(task.endpoint)
    if (endpoint === undefined) {
      throw new Error(`Cannot drive task ${task.id}: no endpoint "${task.endpoint}" is set up`)
    }
    const operation = task.operation ?? (await begin(task, endpoint))
    if (operation === undefined) return undefined
    const state = await endpoint.check(operation, toStep(task))
    return await take(task, endpoint, state)
  }

  /** @returns What the provider has begun; undefined if the task is over, or no longer ours. */
  async function begin(
    task: LeasedTask,
    endpoint: Endpoint,
  ): Promise<ProviderOperation | undefined> {
    if (isTooOld(task)) {
      await fail(task, NOT_THERE)
      return undefined
    }
    try {
      const operation = await endpoint.start(task.params, toKey(task), within(START_MS_MAX))
      return (await tasks.storeOperation(task.id, operation)) ? operation : undefined
    } catch (error) {
      const failure = toRefusal(error)
      if (failure === undefined) throw error
      await fail(task, failure)
      return undefined
    }
  }

  async function take(
    task: LeasedTask,
    endpoint: Endpoint,
    state: GenerationState,
  ): Promise<Date | undefined> {
    switch (state.status) {
      case 'generating':
        if (!isTooOld(task)) return after(state.checkAfterMs ?? endpoint.checkIntervalMs)
        return await fail(task, TOO_LATE)
      case 'fail':
        return await fail(task, state)
      case 'success':
        return await keepResults(task, endpoint, state.results)
    }
  }

  async function keepResults(
    task: LeasedTask,
    endpoint: Endpoint,
    results: GenerationResult[],
  ): Promise<undefined> {
    if (results.length === 0) return await fail(task, NO_RESULT)
    try {
      const names = await storeAll(results, endpoint.extension)
      // Only a plain no is a reason to remove them: if succeed() throws, the task may have its files.
      if (await ends.succeed(task, names)) log.info({ taskId: task.id }, 'task succeeded')
      else await storage.remove(names)
      failedCopies.delete(task.id)
    } catch (error) {
      const failure = toCopyFailure(task, error)
      if (failure === undefined) throw error
      await fail(task, failure)
    }
  }

  /** @returns undefined if the copy may be tried again: the provider is then asked for its link anew. */
  function toCopyFailure(task: LeasedTask, error: unknown): Failure | undefined {
    if (error instanceof ResultTooLargeError) return TOO_LARGE
    if (stopping.signal.aborted) return undefined
    const tries = (failedCopies.get(task.id) ?? 0) + 1
    failedCopies.set(task.id, tries)
    return tries < COPY_TRIES_MAX ? undefined : NOT_COPIED
  }

  async function storeAll(results: GenerationResult[], extension: string): Promise<string[]> {
    const signal = within(COPY_MS_MAX)
    const names: string[] = []
    try {
      for (const result of results) names.push(await storage.store(result, extension, signal))
      return names
    } catch (error) {
      await storage.remove(names)
      throw error
    }
  }

  /** One bad look ends nothing: only age does. */
  async function retryLater(task: LeasedTask, error: unknown): Promise<Date | undefined> {
    if (isTooOld(task)) return await fail(task, task.operation === null ? NOT_THERE : TOO_LATE)
    log.warn({ err: error, taskId: task.id }, 'task not driven on, tried again later')
    return after(retryDelayMs(ageMs(task)))
  }

  async function fail(task: LeasedTask, { code, message }: Failure): Promise<undefined> {
    failedCopies.delete(task.id)
    const failed = await ends.fail(task, { code, message: toStorable(message) })
    if (failed) log.warn({ taskId: task.id, code }, 'task failed and was refunded')
  }

  function isTooOld(task: LeasedTask): boolean {
    const deadlineMs = endpoints.get(task.endpoint)?.deadlineMs ?? DEADLINE_MS_DEFAULT
    return ageMs(task) >= deadlineMs
  }

  function toStep(task: LeasedTask): GenerationStep {
    return { save, signal: within(CHECK_MS_MAX) }

    async function save(operation: ProviderOperation): Promise<void> {
      if (isTooOld(task)) throw new Error(`Cannot go on with task ${task.id}: it is too old`)
      if (!(await tasks.replaceOperation(task.id, operation))) {
        throw new Error(`Cannot go on with task ${task.id}: its lease is lost`)
      }
    }
  }

  function ageMs(task: LeasedTask): number {
    return now().getTime() - task.createdAt.getTime()
  }

  function after(delayMs: number): Date {
    return new Date(now().getTime() + delayMs)
  }

  function within(timeoutMs: number): AbortSignal {
    return AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)])
  }
}

/** The time is in it because an emptied database counts its tasks from 1 again. */
function toKey({ id, createdAt }: LeasedTask): string {
  return `task-${id}-${createdAt.getTime()}`
}

/** A quarter of the task's age: some fifteen tries in the first minutes, then one a minute. */
export function retryDelayMs(ageMs: number): number {
  return Math.min(RETRY_MS_MAX, Math.max(RETRY_MS_MIN, ageMs / 4))
}
