/**
 * The visits of a task, from its begin at the provider to its stored results.
 *
 * The file is longer than most: each step ends in another one or in `fail()`, and they are read together.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Instance } from '../../platform/database/instance/instance.ts'
import { FileRefusedError } from '../../platform/http/fetch-file.ts'
import { type DueAgain, dueAfterFailure } from '../../platform/jobs/due-rows.ts'
import type { TakenRow } from '../../platform/jobs/row-leases.ts'
import { backoffMs } from '../../platform/time/backoff.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { TaskFailure } from '../ledger/tasks.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import { mayHaveBegun } from '../providers/paid-work.ts'
import {
  type GenerationResult,
  type GenerationState,
  type GenerationStep,
  ProviderError,
  type ProviderOperation,
} from '../providers/provider.ts'
import { type ResultRules, type Storage, StorageUnavailableError } from '../storage/storage.ts'
import type { Endpoint } from './endpoint.ts'
import {
  MAKER_GONE,
  NO_RESULT,
  NO_ROOM,
  NOT_COPIED,
  NOT_TAKEN,
  NOT_THERE,
  REFUSED,
  TOO_LATE,
  toStorable,
} from './failures.ts'
import type { ProviderTrouble } from './provider-trouble.ts'
import type { StorageTrouble } from './storage-trouble.ts'
import type { LeasedTask, Tasks } from './tasks.ts'

/** The pause between two looks at work that goes on: a demo takes seconds, a clip minutes. */
const CHECK_INTERVAL_MS = 2000
const CHECK_MS_MAX = 180_000
/** The pause between two tries of work that its provider does not take: it is busy or away. */
const BEGIN = { firstMs: 1_000, maxMs: 30_000 }
const COPY_MS_MAX = 300_000
const COPY_MS_MIN = 60_000
/** How often a copy is tried, in six minutes or more, before the result is given up. */
const COPY_TRIES_MAX = 12
const STORE_INTERVAL_MS = 10_000

/** The deadline of a task whose endpoint is no longer set up. */
const DEADLINE_MS_DEFAULT = 60 * 60_000

/** Finds the endpoint for a task: the one whose provider has begun the work, if there is one. */
export interface KnownEndpoints {
  get(path: string, begunBy?: unknown): Endpoint | undefined
}

export interface TaskVisitsDeps {
  endpoints: KnownEndpoints
  instance: Pick<Instance, 'leased'>
  tasks: Tasks
  storage: Pick<Storage, 'store' | 'find' | 'remove'>
  storageTrouble: StorageTrouble
  providerTrouble: ProviderTrouble
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  clock: Clock
}

/**
 * Drives tasks through their providers: waiting → queuing → generating → success | fail.
 *
 * A step that fails is tried again until the task is too old; the beginning of work that its provider does not take,
 * for a shorter time.
 */
export function createTaskVisits({
  endpoints,
  instance,
  tasks,
  storage,
  storageTrouble,
  providerTrouble,
  log,
  clock,
}: TaskVisitsDeps) {
  /** Copies that went wrong, by task. A restart forgets them: the deadline stays. */
  const failedCopies = new Map<number, number>()
  return { visit }

  /**
   * Takes a leased task as far as it goes now.
   *
   * @returns When to look again; undefined if it has ended or its lease is lost.
   * @throws The error of a step. One bad visit ends nothing: only age does.
   */
  async function visit(
    { id, failedVisits }: Pick<TakenRow, 'id' | 'failedVisits'>,
    signal: AbortSignal,
  ): Promise<number | DueAgain | undefined> {
    const task = await tasks.begin(Number(id), signal)
    if (task === undefined) return undefined
    try {
      return await drive(task, failedVisits)
    } catch (error) {
      // Nothing is known of the task then: the next process looks.
      signal.throwIfAborted()
      if (isTooOld(task)) return await fail(task, task.operation === null ? NOT_THERE : TOO_LATE)
      if (!(error instanceof ProviderError && error.failure)) throw error
      providerTrouble.recordUnanswered(task, findEndpoint(task), error.failure)
      return dueAfterFailure({ failedVisits })
    }
  }

  async function drive(
    task: LeasedTask,
    failedVisits: number,
  ): Promise<number | DueAgain | undefined> {
    const endpoint = findEndpoint(task)
    if (endpoint === undefined) {
      throw new Error(`Cannot drive task ${task.id}: no endpoint "${task.endpoint}" is set up`)
    }
    const stored = task.operation
    const isAnothers = stored?.maker !== undefined && stored.maker !== endpoint.maker
    if (isAnothers && mayHaveBegun(stored)) return await giveUp(task)
    const operation = isAnothers || stored === null ? await begin(task, endpoint) : stored
    if (operation === undefined) return undefined
    const found = operation.phase === 'sent' ? await findResult(task, endpoint) : undefined
    if (found !== undefined) return await succeed(task, [found])
    await instance.leased()
    const state = await endpoint.check(operation, toStep(task))
    if (state.status === 'generating' || state.status === 'success') {
      // An answer for work that was begun before does not show that the provider takes new work.
      if (operation.phase !== 'begun') endpoint.availability.taken()
    }
    if (state.status !== 'unbegun') return await take(task, endpoint, state)
    // A failure that our stop caused is not the provider's.
    task.signal.throwIfAborted()
    return await tryAgain(task, endpoint, { failure: state.failure, failedVisits })
  }

  async function giveUp(task: LeasedTask): Promise<undefined> {
    log.error(
      { taskId: task.id, endpoint: task.endpoint, maker: task.operation?.maker },
      'work given up: the provider that began it is set up no more',
    )
    return await fail(task, MAKER_GONE)
  }

  function findEndpoint({ endpoint, operation }: LeasedTask): Endpoint | undefined {
    const isBegun = operation !== null && mayHaveBegun(operation)
    return endpoints.get(endpoint, isBegun ? operation.maker : undefined)
  }

  async function begin(
    task: LeasedTask,
    endpoint: Endpoint,
  ): Promise<ProviderOperation | undefined> {
    if (isTooOld(task)) return await fail(task, NOT_THERE)
    const operation = await endpoint.start(task.params, toKey(task))
    return (await tasks.storeOperation(task, operation)) ? operation : undefined
  }

  async function take(
    task: LeasedTask,
    endpoint: Endpoint,
    state: Exclude<GenerationState, { status: 'unbegun' }>,
  ): Promise<number | undefined> {
    switch (state.status) {
      case 'refused':
        providerTrouble.recordRefused(task, endpoint, state.failure)
        return await fail(task, NOT_TAKEN)
      case 'generating':
        if (!isTooOld(task)) return state.checkAfterMs ?? CHECK_INTERVAL_MS
        return await fail(task, TOO_LATE)
      case 'fail':
        if (state.failure) providerTrouble.recordFailed(task, endpoint, state.failure)
        return await fail(task, state)
      case 'success':
        return await keepResults(task, endpoint, state.results)
    }
  }

  /**
   * Has the beginning of the work tried again, ever later, until `creationMs` after the first look, which is the
   * last try; a provider that asks to be left alone for longer is not tried again at all.
   */
  async function tryAgain(
    task: LeasedTask,
    endpoint: Endpoint,
    { failure, failedVisits }: { failure: ProviderFailure; failedVisits: number },
  ): Promise<DueAgain | undefined> {
    const tries = failedVisits + 1
    const restMs = Math.min(endpoint.creationMs - task.visitedMs(), toRestMs(task))
    providerTrouble.recordAway(task, endpoint, failure)
    if (restMs <= 0 || (failure.retryAfterMs ?? 0) > restMs) {
      endpoint.availability.away(failure)
      return await fail(task, NOT_THERE)
    }
    // A Retry-After of 0, or a date that is past, is no reason to ask without a pause.
    const waitMs = Math.max(BEGIN.firstMs, failure.retryAfterMs ?? backoffMs(BEGIN, tries))
    return { dueInMs: Math.min(waitMs, restMs), failedVisits: tries }
  }

  async function keepResults(
    task: LeasedTask,
    endpoint: Endpoint,
    results: GenerationResult[],
  ): Promise<number | undefined> {
    if (results.length === 0) return await fail(task, NO_RESULT)
    try {
      return await succeed(task, await storeAll(results, task, endpoint))
    } catch (error) {
      task.signal.throwIfAborted()
      if (error instanceof StorageUnavailableError) {
        storageTrouble.record(error)
        return await waitForRoom(task, endpoint, results)
      }
      const failure = toCopyFailure(task, error)
      if (failure === undefined) throw error
      return await fail(task, failure)
    }
  }

  async function succeed(task: LeasedTask, names: readonly string[]): Promise<undefined> {
    const kept = await tasks.succeed(task, names)
    failedCopies.delete(task.id)
    // Where the task goes on elsewhere, its result may be found by these names.
    if (kept === undefined) return undefined
    const unused = names.filter((name) => !kept.includes(name))
    if (unused.length === 0) log.info({ taskId: task.id }, 'task succeeded')
    else await storage.remove(unused)
  }

  /**
   * Finds the result of work that a visit before this one has sent and whose end it could not store: what the provider
   * gives only once was stored under the task's own name.
   */
  async function findResult(task: LeasedTask, { media }: Endpoint): Promise<string | undefined> {
    try {
      return await storage.find(task.resultStem, media)
    } catch (error) {
      if (error instanceof StorageUnavailableError) storageTrouble.record(error)
      throw error
    }
  }

  /**
   * Tries to store the results until the deadline, since our full storage is not the task's fault. A link can be
   * copied at a later visit. Bytes are here only now: they wait in this one, which also keeps this process from
   * beginning more work whose results there is no room for.
   */
  async function waitForRoom(
    task: LeasedTask,
    endpoint: Endpoint,
    results: GenerationResult[],
  ): Promise<number | undefined> {
    if (isTooOld(task)) return await fail(task, NO_ROOM)
    if (results.every(({ type }) => type === 'url')) return STORE_INTERVAL_MS
    await clock.sleep(STORE_INTERVAL_MS, task.signal)
    return await keepResults(task, endpoint, results)
  }

  /** @returns undefined if the copy may be tried again: the provider is then asked for its link again. */
  function toCopyFailure(task: LeasedTask, error: unknown): TaskFailure | undefined {
    if (error instanceof FileRefusedError) return REFUSED[error.code]
    const tries = (failedCopies.get(task.id) ?? 0) + 1
    failedCopies.set(task.id, tries)
    return tries < COPY_TRIES_MAX ? undefined : NOT_COPIED
  }

  async function storeAll(
    results: GenerationResult[],
    task: LeasedTask,
    rules: ResultRules,
  ): Promise<string[]> {
    const signal = within(toCopyMs(task), task.signal)
    // Each of several has a name of its own: of those under the task's name it could not be known that all are there.
    const stem = results.length === 1 ? task.resultStem : undefined
    const names: string[] = []
    try {
      for (const result of results) names.push(await storage.store(result, rules, signal, stem))
      return names
    } catch (error) {
      // Files that a storage in trouble does not remove stay there, under names that nothing refers to.
      await storage.remove(names).catch(() => {})
      throw error
    }
  }

  async function fail(task: LeasedTask, { code, message }: TaskFailure): Promise<undefined> {
    failedCopies.delete(task.id)
    const failed = await tasks.fail(task, { code, message: toStorable(message) })
    if (failed) log.warn({ taskId: task.id, code }, 'task failed and was refunded')
  }

  function isTooOld(task: LeasedTask): boolean {
    return toRestMs(task) <= 0
  }

  /** A file that keeps coming does not keep its task beyond the deadline by more than a minute. */
  function toCopyMs(task: LeasedTask): number {
    return Math.min(COPY_MS_MAX, Math.max(COPY_MS_MIN, toRestMs(task)))
  }

  function toRestMs(task: LeasedTask): number {
    return (findEndpoint(task)?.deadlineMs ?? DEADLINE_MS_DEFAULT) - task.ageMs()
  }

  function toStep(task: LeasedTask): GenerationStep {
    return { save, signal: within(CHECK_MS_MAX, task.signal) }

    async function save(operation: ProviderOperation): Promise<void> {
      if (isTooOld(task)) throw new Error(`Cannot go on with task ${task.id}: it is too old`)
      if (!(await tasks.storeOperation(task, operation))) {
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
