import type { FastifyBaseLogger } from 'fastify'
import type { Instance } from '../../database/instance.ts'
import type { TaskFailure } from '../ledger/task-charge.ts'
import type {
  GenerationResult,
  GenerationState,
  GenerationStep,
  ProviderOperation,
} from '../providers/provider.ts'
import { ResultTooLargeError, type Storage } from '../storage/storage.ts'
import type { Endpoint } from './endpoint.ts'
import { NO_RESULT, NOT_COPIED, NOT_THERE, TOO_LARGE, TOO_LATE, toStorable } from './failures.ts'
import type { LeasedTask, Tasks } from './tasks.ts'

/** Between two looks at work that goes on: a demo takes seconds, a clip minutes. */
const CHECK_INTERVAL_MS = 2000
const CHECK_MS_MAX = 180_000
const COPY_MS_MAX = 300_000
/** A result that cannot be copied so many times, in six minutes or more, is gone. */
const COPY_TRIES_MAX = 12

/** For a task whose endpoint is no longer set up. */
const DEADLINE_MS_DEFAULT = 60 * 60_000

export interface TaskVisitsDeps {
  /** By path. */
  endpoints: ReadonlyMap<string, Endpoint>
  instance: Pick<Instance, 'leased'>
  tasks: Tasks
  storage: Pick<Storage, 'store' | 'remove'>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  now: () => Date
}

/**
 * Drives tasks through their providers: waiting → queuing → generating → success | fail.
 *
 * What goes wrong on the way is tried again until the task is too old.
 */
export function createTaskVisits(deps: TaskVisitsDeps) {
  const { endpoints, instance, tasks, storage, log, now } = deps
  /** Copies that went wrong, by task. A restart forgets them: the deadline still holds. */
  const failedCopies = new Map<number, number>()
  return { visit }

  /**
   * Takes a leased task as far as it goes now.
   *
   * @returns In how many milliseconds to look again; undefined if it has ended or its lease is lost.
   * @throws What went wrong on the way. One bad visit ends nothing: only age does.
   */
  async function visit(taskId: number, signal: AbortSignal): Promise<number | undefined> {
    const task = await tasks.begin(taskId)
    if (task === undefined) return undefined
    try {
      return await drive(task, signal)
    } catch (error) {
      // Nothing is known of the task then: the next process looks.
      signal.throwIfAborted()
      if (!isTooOld(task)) throw error
      return await fail(task, task.operation === null ? NOT_THERE : TOO_LATE)
    }
  }

  async function drive(task: LeasedTask, signal: AbortSignal): Promise<number | undefined> {
    const endpoint = endpoints.get(task.endpoint)
    if (endpoint === undefined) {
      throw new Error(`Cannot drive task ${task.id}: no endpoint "${task.endpoint}" is set up`)
    }
    const operation = task.operation ?? (await begin(task, endpoint))
    if (operation === undefined) return undefined
    await instance.leased()
    const state = await endpoint.check(operation, toStep(task, signal))
    return await take(task, endpoint, state, signal)
  }

  /** @returns What the provider has begun; undefined if the task is over, or no longer ours. */
  async function begin(
    task: LeasedTask,
    endpoint: Endpoint,
  ): Promise<ProviderOperation | undefined> {
    if (isTooOld(task)) return await fail(task, NOT_THERE)
    const operation = await endpoint.start(task.params, toKey(task))
    return (await tasks.storeOperation(task.id, operation)) ? operation : undefined
  }

  async function take(
    task: LeasedTask,
    endpoint: Endpoint,
    state: GenerationState,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    switch (state.status) {
      case 'generating':
        if (!isTooOld(task)) return state.checkAfterMs ?? CHECK_INTERVAL_MS
        return await fail(task, TOO_LATE)
      case 'fail':
        return await fail(task, state)
      case 'success':
        return await keepResults(task, endpoint, state.results, signal)
    }
  }

  async function keepResults(
    task: LeasedTask,
    endpoint: Endpoint,
    results: GenerationResult[],
    signal: AbortSignal,
  ): Promise<undefined> {
    if (results.length === 0) return await fail(task, NO_RESULT)
    try {
      const names = await storeAll(results, endpoint.extension, within(COPY_MS_MAX, signal))
      // Only a plain no is a reason to remove them: if succeed() throws, the task may have its files.
      if (await tasks.succeed(task, names)) log.info({ taskId: task.id }, 'task succeeded')
      else await storage.remove(names)
      failedCopies.delete(task.id)
    } catch (error) {
      signal.throwIfAborted()
      const failure = toCopyFailure(task, error)
      if (failure === undefined) throw error
      await fail(task, failure)
    }
  }

  /** @returns undefined if the copy may be tried again: the provider is then asked for its link anew. */
  function toCopyFailure(task: LeasedTask, error: unknown): TaskFailure | undefined {
    if (error instanceof ResultTooLargeError) return TOO_LARGE
    const tries = (failedCopies.get(task.id) ?? 0) + 1
    failedCopies.set(task.id, tries)
    return tries < COPY_TRIES_MAX ? undefined : NOT_COPIED
  }

  async function storeAll(
    results: GenerationResult[],
    extension: string,
    signal: AbortSignal,
  ): Promise<string[]> {
    const names: string[] = []
    try {
      for (const result of results) names.push(await storage.store(result, extension, signal))
      return names
    } catch (error) {
      await storage.remove(names)
      throw error
    }
  }

  async function fail(task: LeasedTask, { code, message }: TaskFailure): Promise<undefined> {
    failedCopies.delete(task.id)
    const failed = await tasks.fail(task, { code, message: toStorable(message) })
    if (failed) log.warn({ taskId: task.id, code }, 'task failed and was refunded')
  }

  function isTooOld(task: LeasedTask): boolean {
    const deadlineMs = endpoints.get(task.endpoint)?.deadlineMs ?? DEADLINE_MS_DEFAULT
    return now().getTime() - task.createdAt.getTime() >= deadlineMs
  }

  function toStep(task: LeasedTask, signal: AbortSignal): GenerationStep {
    return { save, signal: within(CHECK_MS_MAX, signal) }

    async function save(operation: ProviderOperation): Promise<void> {
      if (isTooOld(task)) throw new Error(`Cannot go on with task ${task.id}: it is too old`)
      if (!(await tasks.storeOperation(task.id, operation))) {
        throw new Error(`Cannot go on with task ${task.id}: its lease is lost`)
      }
    }
  }
}

/** The time is in it because an emptied database counts its tasks from 1 again. */
function toKey({ id, createdAt }: LeasedTask): string {
  return `task-${id}-${createdAt.getTime()}`
}

function within(timeoutMs: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
}
