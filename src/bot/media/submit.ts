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
import { errorFacts } from '../telegram/error-facts.ts'
import { callbackUrlOf } from './callbacks.ts'
import { type OrderFailure, OUTCOME_UNKNOWN, refused } from './failures.ts'
import type { CreatedTask } from './order-rows.ts'
import type { Order } from './orders-app.ts'
import type { OrderParts } from './status.ts'
import { mediaOf } from './texts.ts'

/** An order that was tried so long ago, and is tried in vain again, fails. */
const AWAY_MS_MAX = 15 * 60_000
/** After so long a service that does not say whether it honours keys is asked again. */
const KEYS_UNKNOWN_MS = 5_000
const QUEUE_MS_MAX = 6 * 3600_000
/** A minute's limit is free again by then. */
const BUSY_MS = 20_000
/** After this a service that had no such endpoint is asked again. */
const CLOSED_MS = 15 * 60_000

interface Waiting {
  onPosition: (position: QueuePosition) => void
  onJoined: (leave: () => void) => void
}

interface Try {
  ticket: QueueTicket
  awaySince: number | undefined
  /** It was submitted before, and no answer came. */
  isInDoubt: boolean
}

export class Submission {
  readonly #parts: OrderParts
  readonly #queues: Readonly<Record<MediaKind, ServiceQueue>>
  /** The kinds whose endpoint the service did not know. A refused order costs nothing. */
  readonly #closedUntil = new Map<MediaKind, number>()
  #areCallbacksRefused = false

  constructor(parts: OrderParts) {
    this.#parts = parts
    const { app, stopping } = parts
    const queues = MEDIA_KINDS.map((kind) => [kind, app.openQueue(kind, stopping)])
    this.#queues = Object.fromEntries(queues)
  }

  /** Checks whether the service said that it makes nothing of a kind. */
  isClosed(kind: MediaKind): boolean {
    return this.#parts.app.clock.now() < (this.#closedUntil.get(kind) ?? 0)
  }

  /**
   * Waits in the queue and asks the service for the order's task.
   *
   * @param onJoined Gets the function that takes the order out of the queue if it waits there.
   */
  async submit(order: Order, { onPosition, onJoined }: Waiting): Promise<void> {
    const ticket = this.#queues[order.kind].join(order, { onPosition })
    const isInDoubt = order.state === 'submitted'
    const trying: Try = { ticket, awaySince: undefined, isInDoubt }
    onJoined(() => void ticket.leave())
    try {
      for (let isOver = false; !isOver; ) {
        await ticket.letThrough()
        isOver = await this.#ask(order, trying)
      }
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
   * @returns Whether to submit it again; otherwise after how many milliseconds it has gone on.
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
  async #ask(order: Order, trying: Try): Promise<boolean> {
    const { app, rows } = this.#parts
    const { ticket } = trying
    if (!trying.isInDoubt && isOverdue(order)) {
      ticket.uncounted()
      await rows.fail(order, refused(429))
      return true
    }
    const submitted = trying.isInDoubt ? order : await this.#begin(order, ticket)
    let task: CreatedTask
    try {
      task = await this.#create(submitted)
    } catch (error) {
      const isOver = await this.#takeRefusal(submitted, error, trying)
      // A refusal for now says nothing about an earlier attempt that had no answer.
      if (!isOver && !trying.isInDoubt) await rows.change(submitted, { state: 'placed' })
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

  /** Asks for a task, with a callback if there is a way for one. A service that refuses the way is asked without. */
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
  async #takeRefusal(order: Order, error: unknown, trying: Try): Promise<boolean> {
    const { app, rows, stopping } = this.#parts
    const { ticket } = trying
    app.alerts.observe(order.kind, error)
    app.log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'a creation gave no task')
    if (hasCode(error, 'rate_limited')) {
      ticket.refused(error.retryAfterMs ?? BUSY_MS)
      return false
    }
    if (hasCode(error, 'service_unavailable') || hasCode(error, 'unauthorized')) {
      return this.#putOff(order, error, trying)
    }
    if (isCounted(error)) ticket.accepted()
    else ticket.uncounted()
    const failure = failureOf(error)
    if (failure === undefined) {
      // A callback may name the task meanwhile. A stop aborts the sleep.
      await app.clock.sleep(app.timings.pollMs, stopping).catch(() => {})
      return true
    }
    if (failure.code === 404) this.#closedUntil.set(order.kind, app.clock.now() + CLOSED_MS)
    await rows.fail(order, failure)
    return true
  }

  /** The service is away. @returns Whether for so long that the order fails. */
  async #putOff(order: Order, error: ServiceError, trying: Try): Promise<boolean> {
    const { app, rows } = this.#parts
    const { ticket, isInDoubt } = trying
    const now = app.clock.now()
    trying.awaySince ??= now
    const isForLong = now - trying.awaySince > AWAY_MS_MAX
    if (isForLong) ticket.leave()
    ticket.away({ retryAfterMs: error.retryAfterMs, isCounted: isCounted(error) })
    if (isForLong) await rows.fail(order, isInDoubt ? OUTCOME_UNKNOWN : refused(503))
    return isForLong
  }

  /** A task that was paid for is not lost to a database that is away. */
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

/**
 * Returns why a creation gives no task. Undefined if there may be one.
 *
 * @throws The error itself if it is not one of the client's.
 */
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
