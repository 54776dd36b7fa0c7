/**
 * Polls the tasks of all open orders.
 *
 * Invariants:
 * - between two polls of a task lie at least `pollMs`, from the answer on: the service counts from when a poll arrived;
 * - after a 429 the whole account makes one poll in a little more than `pollMs`, for a minute.
 *
 * One timer serves all tasks. Without news a poll asks nothing of the database.
 */
import type { TaskState } from '../../contract/client/read-answers.ts'
import { hasCode } from '../../contract/client/service-error.ts'
import { type Age, growAge } from '../../platform/time/clock.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { CreatedTask } from './order-rows.ts'
import { type OrderFailure, type OrdersApp, OVERDUE, TASK_LOST, taskFailed } from './orders-app.ts'

/** Allowed by the service: one poll of a task in three seconds. */
export const POLL_MS = 3_000
/** The pace for a task whose end the service reports: 30 to 60 s are recommended. */
const CALLBACK_POLL_MS = 30_000
/** A video takes 5 to 15 minutes: a late video is polled less often. */
const LATE_AFTER_MS = 10 * 60_000
const LATE_FACTOR = 10 / 3
const ANSWER_MS_MAX = 10_000
/** Each has a connection, which takes 150 kB; with a service that answers in 60 ms, 10,000 orders need so many. */
const POLLS_MAX = 200
/** How late the next poll of a task may begin. */
const TICK_MS = 50
const SLOW_MS = 60_000
/** A gap that is exact here may arrive too short at the service. */
const SLOW_FACTOR = 1.1
/** A task that the service denies this often in a row is gone; one answer may be a mistake. */
const DENIALS_MAX = 5
/** Polls are many, and admins change the deadline seldom. */
const DEADLINE_READ_MS = 30_000

/** The result of a poll. `denied`: the service knows no such task. `unknown`: there was no readable answer. */
export type TaskLook = TaskState | { status: 'denied' } | { status: 'unknown' }

export type TaskEnd = { resultUrls: string[] } | { failure: OrderFailure }

/** Keeps its pace also while its run does not wait for it. */
export interface PolledTask extends CreatedTask {
  madeForMs: Age
  nextAt: number
  denials: number
  end?: TaskEnd | undefined
}

export class Polls {
  readonly #app: OrdersApp
  readonly #waits = new Map<PolledTask, (end: TaskEnd | undefined) => void>()
  readonly #underWay = new Set<AbortController>()
  #isTicking = false
  #slowUntil = Number.NEGATIVE_INFINITY
  #nextSlowAt = Number.NEGATIVE_INFINITY
  #deadlineMs = Number.POSITIVE_INFINITY
  #deadlineReadAt = Number.NEGATIVE_INFINITY

  constructor(app: OrdersApp) {
    this.#app = app
  }

  /** The process that had the task may have polled it just now. */
  begin({ taskId, expectsCallback, madeForMs }: CreatedTask & { madeForMs: number }): PolledTask {
    const { clock } = this.#app
    const task = { taskId, expectsCallback, madeForMs: growAge(madeForMs, clock), nextAt: 0 }
    return this.#putOff({ ...task, denials: 0 })
  }

  /** @returns Undefined if it is woken. */
  async untilEnd(task: PolledTask): Promise<TaskEnd | undefined> {
    if (task.end !== undefined) return task.end
    const { promise, resolve } = Promise.withResolvers<TaskEnd | undefined>()
    this.#waits.set(task, resolve)
    if (!this.#isTicking) void this.#tick()
    return promise
  }

  wake(task: PolledTask): void {
    this.#settle(task)
  }

  stop(): void {
    for (const task of this.#waits.keys()) this.#settle(task)
    for (const poll of this.#underWay) poll.abort(new Error('The process stops'))
  }

  async #tick(): Promise<void> {
    const { clock } = this.#app
    this.#isTicking = true
    while (this.#waits.size > 0) {
      const now = clock.now()
      if (now - this.#deadlineReadAt >= DEADLINE_READ_MS) void this.#readDeadline()
      const due = [...this.#waits.keys()].filter(({ nextAt }) => nextAt <= now)
      for (const task of due.toSorted((one, other) => one.nextAt - other.nextAt)) {
        if (!this.#mayPoll()) break
        void this.#poll(task)
      }
      await clock.sleep(TICK_MS)
    }
    this.#isTicking = false
  }

  #mayPoll(): boolean {
    const now = this.#app.clock.now()
    if (now >= this.#slowUntil) return this.#underWay.size < POLLS_MAX
    return this.#underWay.size === 0 && now >= this.#nextSlowAt
  }

  async #poll(task: PolledTask): Promise<void> {
    const { clock, timings } = this.#app
    this.#nextSlowAt = clock.now() + timings.pollMs * SLOW_FACTOR
    task.nextAt = Number.POSITIVE_INFINITY
    const look = await this.#look(task)
    task.denials = countDenials(task, look)
    const isOverdue = task.madeForMs() >= this.#deadlineMs
    task.end = endOf(look, { denials: task.denials, isOverdue })
    this.#putOff(task)
    if (task.end !== undefined) this.#settle(task)
  }

  async #look({ taskId }: PolledTask): Promise<TaskLook> {
    const { service, log } = this.#app
    const ending = new AbortController()
    const giveUp = () => ending.abort(new Error('Cannot poll task: no answer in time'))
    const timer = setTimeout(giveUp, ANSWER_MS_MAX)
    this.#underWay.add(ending)
    try {
      return await service.task(taskId, { signal: ending.signal })
    } catch (error) {
      if (hasCode(error, 'task_not_found')) return { status: 'denied' }
      if (hasCode(error, 'rate_limited')) this.#slowDown(error.retryAfterMs)
      log.warn({ ...errorFacts(error), taskId }, 'task not polled')
      return { status: 'unknown' }
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(ending)
    }
  }

  #slowDown(retryAfterMs = 0): void {
    const { clock, timings } = this.#app
    const now = clock.now()
    this.#slowUntil = now + SLOW_MS
    const waitMs = Math.min(retryAfterMs, SLOW_MS)
    this.#nextSlowAt = now + Math.max(waitMs, timings.pollMs * SLOW_FACTOR)
  }

  #putOff(task: PolledTask): PolledTask {
    const { clock, timings } = this.#app
    const { expectsCallback, madeForMs } = task
    const delayMs = expectsCallback ? CALLBACK_POLL_MS : pollDelayMs(madeForMs(), timings.pollMs)
    task.nextAt = clock.now() + delayMs
    return task
  }

  #settle(task: PolledTask): void {
    const resolve = this.#waits.get(task)
    this.#waits.delete(task)
    resolve?.(task.end)
  }

  async #readDeadline(): Promise<void> {
    const { clock, rules, log } = this.#app
    this.#deadlineReadAt = clock.now()
    try {
      this.#deadlineMs = (await rules.read()).deadlineMs
    } catch (error) {
      log.warn(errorFacts(error), 'deadline of orders not read')
    }
  }
}

export function pollDelayMs(madeForMs: number, pollMs = POLL_MS): number {
  return madeForMs < LATE_AFTER_MS ? pollMs : pollMs * LATE_FACTOR
}

/** @param denials How often in a row the service has denied the task, this poll included. */
export function endOf(
  look: TaskLook,
  { denials, isOverdue }: { denials: number; isOverdue: boolean },
): TaskEnd | undefined {
  if (look.status === 'success') return { resultUrls: look.resultUrls }
  if (look.status === 'fail') return { failure: taskFailed(look) }
  if (denials >= DENIALS_MAX) return { failure: TASK_LOST }
  return isOverdue ? { failure: OVERDUE } : undefined
}

/** Only an answer about the task begins the count again. */
function countDenials({ denials }: PolledTask, { status }: TaskLook): number {
  if (status === 'denied') return denials + 1
  return status === 'unknown' ? denials : 0
}
