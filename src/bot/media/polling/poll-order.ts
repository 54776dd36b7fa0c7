import type { Logger } from 'pino'
import { RateLimitedError, TaskNotFoundError } from '../../../client/errors.ts'
import type { TaskState } from '../../../client/read-answers.ts'
import type { ServiceClient } from '../../../client/service-client.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { type OrderFailure, OVERDUE, TASK_LOST, taskFailed } from '../order/order-failure.ts'
import type { OrderStatus } from '../order/order-status.ts'
import type { Order, OrderStore } from '../order/order-store.ts'
import { type PollPace, pollDelayMs } from './poll-pace.ts'

/** How long a task may take, from its order on: far beyond any clip. */
const TASK_MS_MAX = 24 * 3600_000
const LOOK_MS_MAX = 10_000
/** A task that the service denies this often in a row is gone; one answer may be a mistake. */
const DENIALS_MAX = 5

/** What a look at a task found. */
export type TaskLook =
  | TaskState
  /** The service knows no such task. */
  | { status: 'denied' }
  /** There was no answer, or one that says nothing. */
  | { status: 'unknown' }

/**
 * Why there will be no clip, if a look says so: one bad look does not end an order.
 *
 * @param denials How often in a row the service has denied the task, this look included.
 */
export function findFailure(
  look: TaskLook,
  { denials, ageMs }: { denials: number; ageMs: number },
): OrderFailure | undefined {
  if (look.status === 'success') return undefined
  if (look.status === 'fail') return taskFailed(look)
  if (denials >= DENIALS_MAX) return TASK_LOST
  return ageMs < TASK_MS_MAX ? undefined : OVERDUE
}

export interface OrderPollerDeps {
  store: Pick<OrderStore, 'setReady' | 'fail'>
  service: Pick<ServiceClient, 'task'>
  pace: PollPace
  status: OrderStatus
  pollMs: number
  log: Logger
  signal: AbortSignal
}

/** Looks at the tasks of orders until they end. */
export function createOrderPoller(deps: OrderPollerDeps) {
  const { store, service, pace, status, pollMs, log, signal } = deps
  /** By order, in a row. */
  const denials = new Map<bigint, number>()
  return { poll }

  async function poll(order: Order): Promise<number> {
    if (order.isStatusDue) await status.refresh(order)
    await pace.turn(signal)
    const look = await lookAt(order)
    const ageMs = order.ageMs()
    const denied = look.status === 'denied' ? (denials.get(order.id) ?? 0) + 1 : 0
    denials.set(order.id, denied)
    const failure = findFailure(look, { denials: denied, ageMs })
    if (look.status !== 'success' && failure === undefined) return pollDelayMs(ageMs, pollMs)
    denials.delete(order.id)
    if (look.status === 'success') await store.setReady(order, look.resultUrls)
    if (failure !== undefined) {
      const { id, taskId } = order
      log.warn(
        { orderId: String(id), taskId, errorCode: failure.code },
        'the task of an order failed',
      )
      await store.fail(order, failure)
    }
    return 0
  }

  async function lookAt({ id, taskId }: Order): Promise<TaskLook> {
    try {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS_MAX)])
      const state = await service.task(taskId ?? 0, { signal: bounded })
      pace.answered()
      return state
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof RateLimitedError) pace.refused(error.retryAfterMs)
      else pace.answered()
      if (error instanceof TaskNotFoundError) return { status: 'denied' }
      log.warn({ ...errorFacts(error), orderId: String(id) }, 'cannot look at a task')
      return { status: 'unknown' }
    }
  }
}
