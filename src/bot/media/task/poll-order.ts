import type { Logger } from 'pino'
import { readCallback, type TaskState } from '../../../contract/client/read-answers.ts'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import { hasCode } from '../../../contract/client/service-error.ts'
import { LeaseLostError } from '../../../platform/database/instance/instance.ts'
import type { DueAgain, VisitedRow } from '../../../platform/jobs/due-rows.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { type OrderFailure, OVERDUE, TASK_LOST, taskFailed } from '../order/order-failure.ts'
import type { OrderStatus } from '../order/order-status.ts'
import type { Order, OrderStore } from '../order/order-store.ts'
import type { Deadline } from './deadline.ts'
import { CALLBACK_POLL_MS, type PollPace, pollDelayMs } from './poll-pace.ts'

const ANSWER_MS_MAX = 10_000
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
export interface PolledOrder extends VisitedRow {
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
  return { poll }

  /**
   * Polls the task of an order that is leased, unless a callback has reported its end. Without news nothing is
   * asked of the database, and the lease may be kept.
   *
   * @throws The signal's reason if it aborted before the poll began.
   * @throws {LeaseLostError} If another process polls the task from now on.
   */
  async function poll(polled: PolledOrder): Promise<DueAgain> {
    const reported = reportedEnd(polled)
    const isNet = polled.expectsCallback && reported === undefined
    const madeForMs = polled.madeForMs + polled.heldForMs
    const delayMs = isNet ? CALLBACK_POLL_MS : pollDelayMs(madeForMs, pollMs)
    // The process that had it may have polled just before it ended.
    if (polled.isTakenOver && reported === undefined) {
      return { dueInMs: delayMs, failedVisits: polled.failedVisits }
    }
    if (reported === undefined) await pace.turn(signal)
    const look = reported ?? (await lookAt(polled))
    const lookedAt = clock.now()
    const denials = countDenials(look, polled)
    const isOverdue = deadline.isOver(madeForMs)
    const failure = findFailure(look, { denials, isOverdue })
    let mayBeKept = denials === polled.failedVisits
    try {
      if (look.status === 'success' || failure !== undefined) {
        await recordEnd(polled, look.status === 'success' ? look.resultUrls : failure)
        return { dueInMs: 0, failedVisits: 0 }
      }
      // What more edits would need than Telegram takes waits for a later poll.
      if (isStatusDue(polled) && status.hasRoom()) {
        mayBeKept = false
        await refreshStatus(polled)
      }
    } catch (error) {
      mayBeKept = false
      // It is polled again, and the end of a task stays.
      log.warn({ ...errorFacts(error), orderId: polled.id }, 'what a poll brought is not stored')
    }
    const dueInMs = Math.max(1, delayMs - (clock.now() - lookedAt))
    return { dueInMs, failedVisits: denials, mayBeKept }
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

function isStatusDue({ statusInMs, heldForMs }: PolledOrder): boolean {
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
