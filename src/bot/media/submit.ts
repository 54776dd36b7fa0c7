/**
 * Hands orders to the service when their turn in the queue has come.
 *
 * Invariant: an order is `submitted` before the service is asked. Without an answer it is asked again only if the
 * service honours idempotency keys.
 */
import { readCallback } from '../../contract/client/read-answers.ts'
import { hasCode, ServiceError } from '../../contract/client/service-error.ts'
import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import {
  LeftQueueError,
  type QueuePosition,
  type QueueTicket,
  type ServiceQueue,
} from '../queue.ts'
import { isCounted } from '../rate-limit.ts'
import { errorFacts } from '../telegram/errors.ts'
import { callbackUrlOf } from './callbacks.ts'
import type { CreatedTask } from './order-rows.ts'
import { type Order, type OrderFailure, OUTCOME_UNKNOWN, refused } from './orders-app.ts'
import type { OrderParts } from './status.ts'
import { mediaOf } from './texts.ts'

/** After so long a service that does not say whether it honours keys is asked again. */
const KEYS_UNKNOWN_MS = 5_000
/** An order that waits so long, in the queue or for a service that is away, fails. */
const QUEUE_MS_MAX = 6 * 3600_000
/** A minute's limit is free again by then. */
const BUSY_MS = 20_000

interface Waiting {
  onPosition: (position: QueuePosition) => void
  onJoined: (leave: () => void) => void
}

export class Submission {
  readonly #parts: OrderParts
  readonly #queues: Readonly<Record<MediaKind, ServiceQueue>>
  #areCallbacksRefused = false

  constructor(parts: OrderParts) {
    this.#parts = parts
    const { app, stopping } = parts
    const queues = MEDIA_KINDS.map((kind) => [kind, app.openQueue(kind, stopping)])
    this.#queues = Object.fromEntries(queues)
  }

  /** @param onJoined Gets the function that takes the order out of the queue if it waits there. */
  async submit(order: Order, { onPosition, onJoined }: Waiting): Promise<void> {
    const ticket = this.#queues[order.kind].join(order, { onPosition })
    onJoined(() => void ticket.leave())
    try {
      do await ticket.letThrough()
      while (!(await this.#ask(order, ticket)))
    } catch (error) {
      if (!(error instanceof LeftQueueError)) throw error
    } finally {
      ticket.leave()
    }
  }

  /**
   * Ends the doubt about an order that was submitted and has no task: a callback names the task, or the order is
   * submitted again with the same key. Without keys it is never repeated: the charge is recorded as an estimate.
   *
   * @returns Whether to submit it again; otherwise the milliseconds until the order continues.
   */
  async settle(order: Order): Promise<'again' | number> {
    const { app, rows } = this.#parts
    const reported = readCallback(order.calledBack)
    if (reported !== undefined) {
      await this.#store(order, { taskId: reported.taskId, expectsCallback: true })
      return 0
    }
    const isSafe = isOverdue(order) ? false : await this.#honoursKey()
    if (isSafe) return 'again'
    if (isSafe === undefined) return KEYS_UNKNOWN_MS
    const { id, idempotencyKey } = order
    app.log.error(
      { orderId: String(id), idempotencyKey },
      'an order may have been taken and charged by the service: look at its account',
    )
    await rows.fail(order, OUTCOME_UNKNOWN)
    return 0
  }

  /** @returns False if the order waits in the queue again. */
  async #ask(order: Order, ticket: QueueTicket): Promise<boolean> {
    const { app, rows } = this.#parts
    // It was submitted before, and no answer came.
    const isInDoubt = order.state === 'submitted'
    if (isOverdue(order)) {
      ticket.uncounted()
      await rows.fail(order, isInDoubt ? OUTCOME_UNKNOWN : refused(503))
      return true
    }
    const submitted = isInDoubt ? order : await this.#begin(order, ticket)
    let task: CreatedTask
    try {
      task = await this.#create(submitted)
    } catch (error) {
      const isOver = await this.#takeRefusal(submitted, error, ticket)
      // A refusal for now says nothing about an earlier attempt that had no answer.
      if (!isOver && !isInDoubt) await rows.change(submitted, { state: 'placed' })
      return isOver
    }
    app.alerts.observe(order.kind, undefined)
    ticket.accepted()
    await this.#store(submitted, task)
    return true
  }

  async #begin(order: Order, ticket: QueueTicket): Promise<Order> {
    try {
      return await this.#parts.rows.setSubmitted(order)
    } catch (error) {
      // Its user cancelled it just now: the slot is another order's.
      ticket.uncounted()
      throw error
    }
  }

  /** A service that refuses the callback is asked without it. */
  async #create(order: Order): Promise<CreatedTask> {
    const { service, callbackRoot, log } = this.#parts.app
    const { idempotencyKey } = order
    const callbackUrl = this.#areCallbacksRefused ? undefined : callbackUrlOf(order, callbackRoot)
    try {
      const { taskId } = await service.createTask(mediaOf(order), { idempotencyKey, callbackUrl })
      return { taskId, expectsCallback: callbackUrl !== undefined }
    } catch (error) {
      const isRefused = hasCode(error, 'invalid_request') && /callback/i.test(error.detail ?? '')
      if (callbackUrl === undefined || !isRefused) throw error
      log.warn('the service cannot reach PUBLIC_URL with callbacks: tasks are polled')
      this.#areCallbacksRefused = true
      return this.#create(order)
    }
  }

  /** @returns False if the order waits in the queue again. */
  async #takeRefusal(order: Order, error: unknown, ticket: QueueTicket): Promise<boolean> {
    const { app, rows, stopping } = this.#parts
    app.alerts.observe(order.kind, error)
    app.log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'a creation gave no task')
    if (hasCode(error, 'rate_limited')) {
      ticket.refused(error.retryAfterMs ?? BUSY_MS)
      return false
    }
    if (hasCode(error, 'service_unavailable') || hasCode(error, 'unauthorized')) {
      ticket.away({ retryAfterMs: error.retryAfterMs, isCounted: isCounted(error) })
      return false
    }
    if (isCounted(error)) ticket.accepted()
    else ticket.uncounted()
    const failure = failureOf(error)
    if (failure === undefined) {
      // A callback may name the task meanwhile. A stop aborts the sleep.
      await app.clock.sleep(app.timings.pollMs, stopping).catch(() => {})
      return true
    }
    await rows.fail(order, failure)
    return true
  }

  /** A paid task must not be lost to a database that is away. */
  async #store(order: Order, task: CreatedTask): Promise<void> {
    const { app, rows, aborted } = this.#parts
    const ids = { orderId: String(order.id), taskId: task.taskId }
    await retryUntilStored(() => rows.setGenerating(order, task), {
      clock: app.clock,
      signal: aborted,
      onTrouble: (error) => app.log.error({ ...errorFacts(error), ...ids }, 'task not stored yet'),
    })
  }

  async #honoursKey(): Promise<boolean | undefined> {
    const { service, log } = this.#parts.app
    try {
      return (await service.balance()).honoursIdempotencyKey
    } catch (error) {
      log.warn(errorFacts(error), 'the service does not say whether it honours keys')
      return undefined
    }
  }
}

function isOverdue({ ageMs }: Order): boolean {
  return ageMs() > QUEUE_MS_MAX
}

/** Returns undefined if there may be a task. @throws The error itself if it is not one of the client's. */
function failureOf(error: unknown): OrderFailure | undefined {
  if (!(error instanceof ServiceError)) throw error
  const { code, status = 0, detail } = error
  switch (code) {
    case 'insufficient_balance':
      return refused(402)
    case 'invalid_request':
      return status === 404 ? refused(404) : refused(422, detail)
    case 'provider_rejected':
      return refused(502)
    case 'unexpected_answer':
      return status < 300 ? undefined : refused(502)
    case 'outcome_unknown':
      return undefined
    default:
      throw error
  }
}
