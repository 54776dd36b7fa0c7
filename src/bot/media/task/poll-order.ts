import type { Logger } from 'pino'
import { readCallback, type TaskState } from '../../../contract/client/read-answers.ts'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import { hasCode } from '../../../contract/client/service-error.ts'
import { LeaseLostError } from '../../../platform/database/instance/instance.ts'
import type { DueAgain, TakenRow } from '../../../platform/jobs/due-rows.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { type OrderFailure, OVERDUE, TASK_LOST, taskFailed } from '../order/order-failure.ts'
import type { OrderStatus } from '../order/order-status.ts'
import type { Order, OrderStore } from '../order/order-store.ts'
import type { Deadline } from './deadline.ts'
import { CALLBACK_POLL_MS, type PollPace, pollDelayMs } from './poll-pace.ts'

const ANSWER_MS_MAX = 10_000
/** Each has a connection, which takes 150 kB; with a service that answers in 60 ms, 10,000 orders need so many. */
const POLLS_MAX = 200
/** How late the next poll of a held order may begin. */
const TICK_MS = 25
/** Ten polls without news cost the database one visit. As long a process that begins waits for its share of the orders. */
export const HOLD_MS = 30_000
/** A task that the service denies this often in a row is gone; one answer may be a mistake. */
const DENIALS_MAX = 5

/** The columns of its order that a poll needs: the statement that leases it reads them (`src/platform/jobs/row-leases.ts`). */
export const POLLED_COLUMNS = {
  taskId: 'task_id',
  madeForMs: `extract(epoch FROM now() - coalesce(generating_at, created_at))::float8 * 1000`,
  statusInMs: `extract(epoch FROM status_due_at - now())::float8 * 1000`,
  expectsCallback: 'expects_callback',
  calledBack: 'called_back',
}

/** An order that is being made. Failed visits are polls in a row that denied its task. */
export interface PolledOrder extends TakenRow {
  taskId: number
  madeForMs: number
  statusInMs: number | null
  expectsCallback: boolean
  calledBack: unknown
}

/** The result of a look at a task. */
export type TaskLook =
  | TaskState
  /** The service knows no such task. */
  | { status: 'denied' }
  /** There was no answer, or one that says nothing. */
  | { status: 'unknown' }

/**
 * Finds out why there will be no clip, if a look says so: one bad look does not end an order.
 *
 * @param denials How often in a row the service has denied the task, this look included.
 */
export function findFailure(
  look: TaskLook,
  { denials, isOverdue }: { denials: number; isOverdue: boolean },
): OrderFailure | undefined {
  if (look.status === 'success') return undefined
  if (look.status === 'fail') return taskFailed(look)
  if (denials >= DENIALS_MAX) return TASK_LOST
  return isOverdue ? OVERDUE : undefined
}

/** The outcome of a poll. */
export interface OrderPoll extends DueAgain {
  dueInMs: number
  /** True if the poll has changed nothing about its order. */
  mayBeHeld: boolean
}

export interface OrderPollerDeps {
  store: Pick<OrderStore, 'read' | 'setReady' | 'fail'>
  service: Pick<ServiceClient, 'task'>
  pace: PollPace
  deadline: Deadline
  status: Pick<OrderStatus, 'refresh' | 'hasRoom'>
  pollMs: number
  clock: Clock
  log: Logger
  signal: AbortSignal
}

/**
 * Looks at the tasks of orders until they end.
 *
 * Invariant: between two polls of a task lie at least `pollMs`, whichever processes make them. The time
 * runs from the answer, or from giving up, since the service counts from when a poll arrived. So a poll
 * that began never throws, and an order whose last visit did not end waits first.
 */
export function createOrderPoller(deps: OrderPollerDeps) {
  const { store, service, pace, deadline, status, pollMs, clock, log, signal } = deps
  const ends = new Set<() => void>()
  signal.addEventListener('abort', () => {
    for (const end of ends) end()
  })
  const held = new HeldOrders({ poll, clock, signal })
  return { visit: (polled: PolledOrder) => held.visit(polled), poll }

  /**
   * Polls once, unless a callback has reported the end of the task. Without news nothing is asked of the database, and
   * the order may be held until the next poll.
   *
   * @throws The signal's reason if it aborted before the poll began.
   * @throws {LeaseLostError} If another process polls the task from now on.
   */
  async function poll(polled: PolledOrder, heldForMs = 0): Promise<OrderPoll> {
    const reported = reportedEnd(polled)
    const isNet = polled.expectsCallback && reported === undefined
    const madeForMs = polled.madeForMs + heldForMs
    const delayMs = isNet ? CALLBACK_POLL_MS : pollDelayMs(madeForMs, pollMs)
    // The process that had it may have polled just before it ended.
    if (polled.isTakenOver && reported === undefined) {
      return { dueInMs: delayMs, failedVisits: polled.failedVisits, mayBeHeld: false }
    }
    if (reported === undefined) await pace.turn(signal)
    const look = reported ?? (await lookAt(polled))
    const lookedAt = clock.now()
    const denials = countDenials(look, polled)
    const isOverdue = deadline.isOver(madeForMs)
    const failure = findFailure(look, { denials, isOverdue })
    let mayBeHeld = denials === polled.failedVisits
    try {
      if (look.status === 'success' || failure !== undefined) {
        await recordEnd(polled, look.status === 'success' ? look.resultUrls : failure)
        return { dueInMs: 0, failedVisits: 0, mayBeHeld: false }
      }
      // What more edits would need than Telegram takes waits for a later poll.
      if (isStatusDue(polled, heldForMs) && status.hasRoom()) {
        mayBeHeld = false
        await refreshStatus(polled)
      }
    } catch (error) {
      mayBeHeld = false
      // It is polled again, and the end of a task stays.
      log.warn({ ...errorFacts(error), orderId: polled.id }, 'what a poll brought is not stored')
    }
    const dueInMs = Math.max(1, delayMs - (clock.now() - lookedAt))
    return { dueInMs, failedVisits: denials, mayBeHeld }
  }

  async function lookAt({ id, taskId }: PolledOrder): Promise<TaskLook> {
    const ending = new AbortController()
    const end = () => ending.abort(new Error('Cannot poll task: no answer in time'))
    const timer = setTimeout(end, ANSWER_MS_MAX)
    ends.add(end)
    try {
      const state = await service.task(taskId, { signal: ending.signal })
      pace.answered()
      return state
    } catch (error) {
      if (error instanceof LeaseLostError) throw error
      if (hasCode(error, 'rate_limited')) pace.refused(error.retryAfterMs)
      else pace.answered()
      if (hasCode(error, 'task_not_found')) return { status: 'denied' }
      log.warn({ ...errorFacts(error), orderId: id }, 'cannot look at a task')
      return { status: 'unknown' }
    } finally {
      clearTimeout(timer)
      ends.delete(end)
    }
  }

  async function recordEnd({ id }: PolledOrder, end: string[] | OrderFailure | undefined) {
    const order = await store.read(BigInt(id))
    if (order === undefined || end === undefined) return
    if (Array.isArray(end)) await store.setReady(order, end)
    else await fail(order, end)
  }

  async function fail(order: Order, failure: OrderFailure): Promise<void> {
    const { id, taskId } = order
    log.warn(
      { orderId: String(id), taskId, errorCode: failure.code },
      'the task of an order failed',
    )
    await store.fail(order, failure)
  }

  async function refreshStatus({ id }: PolledOrder): Promise<void> {
    const order = await store.read(BigInt(id))
    if (order !== undefined) await status.refresh(order)
  }
}

/** An order during its visit. */
interface HeldOrder {
  row: PolledOrder
  takenAt: number
  failedVisits: number
  dueAt: number
  visit: PromiseWithResolvers<DueAgain>
}

interface HeldOrdersDeps extends Pick<OrderPollerDeps, 'clock' | 'signal'> {
  poll: (row: PolledOrder, heldForMs: number) => Promise<OrderPoll>
}

/** Polls orders again and again without the database. One timer serves all orders that wait. */
class HeldOrders {
  readonly #deps: HeldOrdersDeps
  readonly #waiting = new Set<HeldOrder>()
  readonly #due: HeldOrder[] = []
  #polls = 0
  #isTicking = false

  constructor(deps: HeldOrdersDeps) {
    this.#deps = deps
    deps.signal.addEventListener('abort', () => {
      for (const order of this.#waiting) this.#leave(order)
      this.#waiting.clear()
    })
  }

  /** Polls the task of an order that is leased until there is news, for up to 30 s. */
  visit(row: PolledOrder): Promise<DueAgain> {
    const now = this.#deps.clock.now()
    const visit = Promise.withResolvers<DueAgain>()
    this.#due.push({ row, takenAt: now, failedVisits: row.failedVisits, dueAt: now, visit })
    this.#pollDue()
    return visit.promise
  }

  #pollDue(): void {
    while (this.#polls < POLLS_MAX) {
      const order = this.#due.shift()
      if (order === undefined) return
      this.#polls += 1
      void this.#pollOne(order)
    }
  }

  async #pollOne(order: HeldOrder): Promise<void> {
    const { poll, clock, signal } = this.#deps
    const { row, takenAt, visit } = order
    try {
      const { mayBeHeld, dueInMs, failedVisits } = await poll(row, clock.now() - takenAt)
      order.dueAt = clock.now() + dueInMs
      order.failedVisits = failedVisits
      if (!mayBeHeld || signal.aborted || order.dueAt - takenAt >= HOLD_MS) this.#leave(order)
      else this.#wait(order)
    } catch (error) {
      visit.reject(error)
    }
    this.#polls -= 1
    this.#pollDue()
  }

  #wait(order: HeldOrder): void {
    this.#waiting.add(order)
    if (!this.#isTicking) void this.#tick()
  }

  async #tick(): Promise<void> {
    const { clock } = this.#deps
    this.#isTicking = true
    while (this.#waiting.size > 0) {
      await clock.sleep(TICK_MS)
      const now = clock.now()
      for (const order of this.#waiting) {
        if (order.dueAt > now) continue
        this.#waiting.delete(order)
        this.#due.push(order)
      }
      this.#pollDue()
    }
    this.#isTicking = false
  }

  #leave({ dueAt, failedVisits, visit }: HeldOrder): void {
    visit.resolve({ dueInMs: Math.max(0, dueAt - this.#deps.clock.now()), failedVisits })
  }
}

function isStatusDue({ statusInMs }: PolledOrder, heldForMs: number): boolean {
  return statusInMs !== null && statusInMs <= heldForMs
}

/** Reads what a callback reported. One that came before the answer to the creation may be of another task. */
function reportedEnd({ taskId, calledBack }: PolledOrder): TaskLook | undefined {
  const reported = readCallback(calledBack)
  return reported?.taskId === taskId ? reported.state : undefined
}

function countDenials({ status }: TaskLook, { failedVisits }: PolledOrder): number {
  if (status === 'denied') return failedVisits + 1
  return status === 'unknown' ? failedVisits : 0
}
