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
  const waits = new Set<AbortController>()
  signal.addEventListener('abort', () => {
    for (const wait of waits) wait.abort(signal.reason)
  })
  let polling = 0
  const waiting: (() => void)[] = []
  return { visit, poll }

  /** Polls the task of an order that is leased until there is news, for up to 30 s. */
  async function visit(polled: PolledOrder): Promise<DueAgain> {
    const takenAt = clock.now()
    const heldForMs = () => clock.now() - takenAt
    for (let row = polled; ; row = { ...polled, isTakenOver: false }) {
      const { mayBeHeld, ...due } = await inTurn(() => poll(row, heldForMs()))
      const { dueInMs } = due
      if (!mayBeHeld || heldForMs() + dueInMs >= HOLD_MS) return due
      const dueAt = clock.now() + dueInMs
      // A timer may go off up to a millisecond early, and the service refuses an early poll.
      for (let leftMs = dueInMs; leftMs > 0 && !signal.aborted; leftMs = dueAt - clock.now()) {
        await endable((wait) => clock.sleep(Math.ceil(leftMs), wait.signal)).catch(() => {})
      }
      if (signal.aborted) return { ...due, dueInMs: Math.max(0, dueAt - clock.now()) }
    }
  }

  /** Gives each wait a signal of its own: one signal would be slow with thousands of listeners. */
  async function endable<T>(work: (wait: AbortController) => Promise<T>): Promise<T> {
    const wait = new AbortController()
    if (signal.aborted) wait.abort(signal.reason)
    waits.add(wait)
    return await work(wait).finally(() => waits.delete(wait))
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (polling < POLLS_MAX) polling += 1
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) polling -= 1
      else next()
    }
  }

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
    try {
      const state = await endable(async (wait) => {
        const end = () => wait.abort(new Error('Cannot poll task: no answer in time'))
        const timer = setTimeout(end, ANSWER_MS_MAX)
        return await service.task(taskId, wait).finally(() => clearTimeout(timer))
      })
      pace.answered()
      return state
    } catch (error) {
      if (error instanceof LeaseLostError) throw error
      if (hasCode(error, 'rate_limited')) pace.refused(error.retryAfterMs)
      else pace.answered()
      if (hasCode(error, 'task_not_found')) return { status: 'denied' }
      log.warn({ ...errorFacts(error), orderId: id }, 'cannot look at a task')
      return { status: 'unknown' }
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
