import type { Logger } from 'pino'
import { RateLimitedError, TaskNotFoundError } from '../../client/errors.ts'
import type { TaskState } from '../../client/read-answers.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import type { SubmissionQueue } from '../queue/submission-queue.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { type Failure, givenUp, OVERDUE, TASK_LOST, taskFailed } from './failure.ts'
import type { OrderStatus } from './order-status.ts'
import type { Order, OrderStore } from './order-store.ts'
import type { PollPace } from './poll-pace.ts'

/** How long a task may take, from its order on: far beyond any clip. */
const TASK_MS_MAX = 24 * 3600_000
/** Looks are made together, so one that hangs must not keep the others. */
const LOOK_MS_MAX = 10_000
/** A task that the service denies this often in a row is gone; one answer may be a mistake. */
const DENIALS_MAX = 5

export interface OrderVisitsDeps {
  store: Pick<OrderStore, 'read' | 'lease' | 'release' | 'placedBefore' | 'setReady' | 'fail'>
  service: Pick<ServiceClient, 'task'>
  line: SubmissionQueue
  pace: PollPace
  status: OrderStatus
  /** Sends the status message of a placed order that has none, without being waited for. */
  announce: (orderId: bigint) => void
  /** Finds out what became of an order whose submission had no answer, without being waited for. */
  settle: (orderId: bigint) => void
  /** Has the order ended: the clip shown, or the user told. */
  sendToDelivery: (orderId: bigint) => Promise<void>
  log: Logger
  lookMs: number
  now: () => number
}

/** Looks at orders one by one and moves each as far as it goes without waiting. */
export function createOrderVisits(deps: OrderVisitsDeps) {
  const { store, service, line, pace, status, log, lookMs, now } = deps
  const denials = new Map<bigint, number>()
  return { visit }

  /** @returns When to look again; undefined when polling has nothing more to do for the order. */
  async function visit(orderId: bigint, signal: AbortSignal): Promise<Date | undefined> {
    const order = await store.read(orderId)
    if (order === undefined || order.endedAt !== null) return forget(orderId)
    switch (order.state) {
      case 'placed':
        return visitPlaced(order)
      case 'submitted':
        if (line.waitsUntil() <= now()) deps.settle(order.id)
        return later()
      case 'generating':
        status.show(order)
        return poll(order, signal)
      case 'ready':
      case 'failed':
        await deps.sendToDelivery(order.id)
        return forget(orderId)
      case 'delivered':
        return forget(orderId)
    }
  }

  async function visitPlaced(order: Order): Promise<Date> {
    if (order.statusMessageId === null) deps.announce(order.id)
    line.kick()
    const place = await store.placedBefore(order.id)
    if (place > 0 || line.waitsUntil() > now()) status.show(order, place + 1)
    return later()
  }

  async function poll({ id }: Order, signal: AbortSignal): Promise<Date | undefined> {
    const turnAt = pace.turnOf(id, now())
    if (turnAt > now()) return new Date(turnAt)
    const order = await store.lease(id, ['generating'])
    if (order === undefined) return later()
    let again: Date | undefined
    try {
      again = await look(order, signal)
    } finally {
      await store.release(id)
    }
    if (again !== undefined) return again
    // The lease went first, so that delivery finds the order free.
    await deps.sendToDelivery(id)
    return forget(id)
  }

  /** @returns When to look again; undefined when the task has ended. */
  async function look(order: Order, signal: AbortSignal): Promise<Date | undefined> {
    const ageMs = now() - order.createdAt.getTime()
    const seen = await readTask(order, signal)
    if (seen === 'aborted') return later()
    if (seen !== 'refused') pace.answered(order.id, now(), ageMs)
    if (typeof seen === 'object' && seen.status === 'success') {
      await store.setReady(order.id, seen.resultUrls[0] ?? '')
      return undefined
    }
    const failure = toFailure(order, seen, ageMs)
    if (failure !== undefined) {
      await store.fail(order, failure)
      return undefined
    }
    return new Date(Math.max(pace.turnOf(order.id, now()), now()))
  }

  async function readTask(
    order: Order,
    signal: AbortSignal,
  ): Promise<TaskState | 'refused' | 'denied' | 'unknown' | 'aborted'> {
    try {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS_MAX)])
      return await service.task(order.taskId ?? 0, { signal: bounded })
    } catch (error) {
      if (signal.aborted) return 'aborted'
      if (error instanceof TaskNotFoundError) return 'denied'
      log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'cannot look at a task')
      if (!(error instanceof RateLimitedError)) return 'unknown'
      pace.refused(order.id, now(), error.retryAfterMs)
      return 'refused'
    }
  }

  /** One bad look does not end an order. */
  function toFailure(
    order: Order,
    seen: Awaited<ReturnType<typeof readTask>>,
    ageMs: number,
  ): Failure | undefined {
    const isDenied = seen === 'denied'
    const denied = isDenied ? (denials.get(order.id) ?? 0) + 1 : 0
    if (isDenied) denials.set(order.id, denied)
    else denials.delete(order.id)
    const ids = { orderId: String(order.id), taskId: order.taskId }
    if (typeof seen === 'object' && seen.status === 'fail') return taskFailed(seen)
    if (denied >= DENIALS_MAX) {
      log.error(ids, 'the service does not know the task of an order')
      return givenUp(TASK_LOST)
    }
    if (ageMs < TASK_MS_MAX) return undefined
    log.error(ids, 'the task of an order did not end in a day')
    return givenUp(OVERDUE)
  }

  function forget(orderId: bigint): undefined {
    denials.delete(orderId)
    pace.forget(orderId)
    status.forget(orderId)
  }

  function later(): Date {
    return new Date(now() + lookMs)
  }
}
