import type { Logger } from 'pino'
import { readCallback } from '../../../contract/client/read-answers.ts'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { MediaKind } from '../../../contract/tasks.ts'
import { LeaseLostError } from '../../../platform/database/instance/instance.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { backoffMs, retry } from '../../../platform/time/retry.ts'
import type { AdminAlerts } from '../../alerts/alert-admins.ts'
import { LeftQueueError, type QueueTicket, type ServiceQueue } from '../../queue.ts'
import { isCounted } from '../../rate-limit.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { ChatUnreachableError } from '../../telegram/errors.ts'
import {
  CHAT_UNREACHABLE_EARLY,
  type OrderFailure,
  OUTCOME_UNKNOWN,
  refused,
} from '../order/order-failure.ts'
import type { FollowedStatus, OrderStatus } from '../order/order-status.ts'
import type { CreatedTask, Order, OrderStore } from '../order/order-store.ts'
import type { CallbackUrls } from './callback-urls.ts'
import type { Cancellations } from './cancel-order.ts'
import type { ClosedKinds } from './closed-kinds.ts'
import { createTaskCreation } from './create-task.ts'
import { judgeCreation } from './creation-outcome.ts'
import { CALLBACK_POLL_MS } from './poll-pace.ts'

/** An order that was tried so long ago, and is tried in vain again, fails. */
const AWAY_MS_MAX = 15 * 60_000
/** After so long a service that does not say whether it honours keys is asked again. */
const KEYS_UNKNOWN_MS = 5_000
const QUEUE_MS_MAX = 6 * 3600_000
/** An order looks by itself so often whether admins gave its user more room. */
const WAITING_MS = 60_000
/** A task that was paid for must not be lost to a database that is away for a moment. */
const STORE_ATTEMPTS_MAX = 5
const STORE_BACKOFF = { firstMs: 400, maxMs: 3200 }

export interface OrderSubmissionDeps {
  store: Pick<OrderStore, 'admit' | 'setSubmitted' | 'setGenerating' | 'backToQueue' | 'fail'>
  service: Pick<ServiceClient, 'createTask' | 'balance'>
  callbackUrls: CallbackUrls
  queues: Readonly<Record<MediaKind, ServiceQueue>>
  cancellations: Cancellations
  closedKinds: Pick<ClosedKinds, 'close'>
  status: OrderStatus
  alerts: Pick<AdminAlerts, 'observe'>
  pollMs: number
  clock: Clock
  log: Logger
  signal: AbortSignal
}

interface Trying {
  ticket: QueueTicket
  followed: FollowedStatus
  awaySince: number | undefined
}

/** Hands orders to the service when their turn in the queue has come. */
export function createOrderSubmission(deps: OrderSubmissionDeps) {
  const { store, service, queues, cancellations, closedKinds, status } = deps
  const { alerts, pollMs, clock, log, signal } = deps
  const createTask = createTaskCreation(deps)
  return { takeUp, submit, settle }

  async function takeUp(order: Order): Promise<number | undefined> {
    const announced = await announce(order)
    if (announced.endedAt !== null) return undefined
    return (await store.admit(announced)) === undefined ? WAITING_MS : 0
  }

  async function submit(order: Order): Promise<number | undefined> {
    const announced = await announce(order)
    if (announced.endedAt !== null) return undefined
    const leavesInMs = announced.leavesInMs ?? 0
    return leavesInMs > 0 ? leavesInMs : handOver(announced)
  }

  /**
   * Ends the doubt about an order that was submitted and has no task.
   *
   * A callback names the task. Without one, where the service honours the order's key, it is submitted again
   * and gets the task it may have; where it does not, it is never repeated: the charge is recorded as an estimate.
   */
  async function settle(order: Order): Promise<number> {
    const reported = readCallback(order.calledBack)
    if (reported !== undefined) {
      await recordTask(order, { taskId: reported.taskId, expectsCallback: true, statusInMs: 0 })
      return 0
    }
    const isSafe = isOverdue(order) ? false : await honoursKey()
    if (isSafe) return handOver(order)
    if (isSafe === undefined) return KEYS_UNKNOWN_MS
    log.error(
      { orderId: String(order.id), idempotencyKey: order.idempotencyKey },
      'an order may have been taken and charged by the service: look at its account',
    )
    return fail(order, OUTCOME_UNKNOWN)
  }

  async function announce(order: Order): Promise<Order> {
    // One that was moved with its group is shown again; of one that asked for a yes the message is known before.
    if (order.statusMessageId !== null && order.leavesInMs !== null) return order
    try {
      return await status.announce(order, signal)
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) throw error
      // Nothing was asked of the service yet, and its user would not see the clip.
      if (error instanceof ChatUnreachableError) return store.fail(order, CHAT_UNREACHABLE_EARLY)
      log.warn(
        { ...errorFacts(error), orderId: String(order.id) },
        'cannot show that an order is taken',
      )
      return order
    }
  }

  async function handOver(order: Order): Promise<number> {
    const followed = status.follow(order)
    const ticket = queues[order.kind].join(order, { onPosition: followed.show })
    const trying: Trying = { ticket, followed, awaySince: undefined }
    const unwatch = cancellations.watch(order.id, ticket.leave)
    try {
      for (;;) {
        await ticket.letThrough()
        const dueInMs = await ask(order, trying)
        if (dueInMs !== undefined) return dueInMs
      }
    } catch (error) {
      if (error instanceof LeftQueueError) return 0
      throw error
    } finally {
      unwatch()
      ticket.leave()
      await followed.settled()
    }
  }

  async function ask(order: Order, trying: Trying): Promise<number | undefined> {
    const { ticket, followed } = trying
    if (order.state === 'placed' && isOverdue(order)) {
      ticket.uncounted()
      return fail(order, refused(429))
    }
    const submitted = order.state === 'placed' ? await beginSubmission(order, ticket) : order
    let task: CreatedTask
    try {
      task = await createTask(submitted)
    } catch (error) {
      const dueInMs = await goOnWithoutTask(submitted, { error, trying })
      // A refusal for now says nothing about an earlier attempt that had no answer.
      if (dueInMs === undefined && order.state === 'placed') await store.backToQueue(submitted)
      return dueInMs
    }
    alerts.observe(order.kind, undefined)
    ticket.accepted()
    const statusInMs = followed.freeInMs()
    const made = await recordTask(submitted, { ...task, statusInMs })
    if (statusInMs === 0) await status.refresh(made)
    return task.expectsCallback ? CALLBACK_POLL_MS : pollMs
  }

  /** Marks the order as submitted: from here on the service may have it. */
  async function beginSubmission(order: Order, ticket: QueueTicket): Promise<Order> {
    try {
      return await store.setSubmitted(order)
    } catch (error) {
      // Its user cancelled it just now: the slot is another order's.
      ticket.uncounted()
      throw error
    }
  }

  async function goOnWithoutTask(
    order: Order,
    { error, trying }: { error: unknown; trying: Trying },
  ): Promise<number | undefined> {
    const outcome = judgeCreation(error)
    alerts.observe(order.kind, error)
    log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'a creation gave no task')
    const { ticket } = trying
    switch (outcome.type) {
      case 'busy':
        ticket.refused(outcome.retryAfterMs)
        return undefined
      case 'away': {
        trying.awaySince ??= clock.now()
        const isForLong = clock.now() - trying.awaySince > AWAY_MS_MAX
        if (isForLong) ticket.leave()
        ticket.away({ retryAfterMs: outcome.retryAfterMs, isCounted: isCounted(error) })
        return isForLong ? fail(order, refused(503)) : undefined
      }
    }
    if (isCounted(error)) ticket.accepted()
    else ticket.uncounted()
    if (outcome.type === 'not_offered') {
      closedKinds.close(order.kind)
      return fail(order, refused(404))
    }
    return outcome.type === 'unknown' ? pollMs : fail(order, outcome.failure)
  }

  function isOverdue({ ageMs }: Order): boolean {
    return ageMs() > QUEUE_MS_MAX
  }

  async function fail(order: Order, failure: OrderFailure): Promise<number> {
    await store.fail(order, failure)
    return 0
  }

  async function honoursKey(): Promise<boolean | undefined> {
    try {
      return (await service.balance()).honoursIdempotencyKey
    } catch (error) {
      log.warn(errorFacts(error), 'the service does not say whether it honours keys')
      return undefined
    }
  }

  function recordTask(order: Order, made: CreatedTask & { statusInMs: number }): Promise<Order> {
    return retry(() => store.setGenerating(order, made), {
      clock,
      delayAfter(error, attempts) {
        const isLost = error instanceof LeaseLostError
        if (!isLost && attempts < STORE_ATTEMPTS_MAX) return backoffMs(STORE_BACKOFF, attempts)
        const ids = { orderId: String(order.id), taskId: made.taskId }
        log.error(ids, 'cannot store the task of an order')
        return undefined
      },
    })
  }
}
