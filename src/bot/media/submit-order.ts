import type { Logger } from 'pino'
import {
  InsufficientBalanceError,
  InvalidRequestError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
} from '../../client/errors.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import { backoffMs } from '../../time/backoff.ts'
import { systemClock } from '../../time/clock.ts'
import { retry } from '../../time/retry.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { type Failure, outcomeUnknown, refused } from './failure.ts'
import type { Order, OrderStore } from './order-store.ts'
import { requestOf } from './order-texts.ts'

/** What became of one attempt to hand an order to the service. */
export type SubmitOutcome =
  /** The order left the line: it has a task, or it failed. */
  | { status: 'moved' }
  /** Nobody knows: the next visit settles it. */
  | { status: 'unknown' }
  /** Not now, for this order and any other. */
  | { status: 'wait'; untilAt: number }

/** A minute's limit is free again by then. */
const BUSY_MS = 20_000
const UNAVAILABLE_MS = 5_000
/** The longest wait that the service may ask for. */
const WAIT_MS_MAX = 10 * 60_000
/** How long a service that is away is asked again before its orders fail. */
const UNAVAILABLE_MS_MAX = 15 * 60_000
/** How long an order stands in line at most. */
const LINE_MS_MAX = 6 * 3600_000
const STORE_ATTEMPTS_MAX = 5
const STORE_BACKOFF = { firstMs: 400, maxMs: 3200 }

export interface SubmitterDeps {
  store: Pick<OrderStore, 'setGenerating' | 'backToPlaced' | 'fail'>
  service: Pick<ServiceClient, 'createVideo' | 'balance'>
  log: Logger
  now: () => number
}

/** Hands leased orders to the service. */
export function createSubmitter({ store, service, log, now }: SubmitterDeps) {
  let unavailableSince: number | undefined
  return { submit, settle }

  /** Creates the task of an order just marked as submitted. */
  async function submit(order: Order): Promise<SubmitOutcome> {
    if (now() - order.createdAt.getTime() > LINE_MS_MAX) return fail(order, refused(429))
    const outcome = await create(order)
    if (outcome.status === 'wait') await store.backToPlaced(order.id)
    return outcome
  }

  /**
   * Ends the doubt about an order that was submitted and has no task.
   *
   * Where the service honours the order's key, it is submitted again and gets the task it may have.
   * Where it does not, it is never repeated: the charge is noted as an estimate.
   */
  async function settle(order: Order): Promise<SubmitOutcome> {
    const isOverdue = now() - order.createdAt.getTime() > LINE_MS_MAX
    const isSafe = isOverdue ? false : await honoursKey()
    // A refusal for now says nothing about the first attempt: the order stays submitted.
    if (isSafe) return create(order)
    if (isSafe === undefined) return waitFor(UNAVAILABLE_MS)
    log.error(
      { orderId: String(order.id), idempotencyKey: order.idempotencyKey },
      'an order may have been taken and charged by the service: look at its account',
    )
    return fail(order, outcomeUnknown())
  }

  async function create(order: Order): Promise<SubmitOutcome> {
    const { idempotencyKey } = order
    let taskId: number
    try {
      taskId = (await service.createVideo(requestOf(order), { idempotencyKey })).taskId
    } catch (error) {
      return readRefusal(order, error)
    }
    unavailableSince = undefined
    await retryUntilStored(order, taskId)
    return { status: 'moved' }
  }

  async function readRefusal(order: Order, error: unknown): Promise<SubmitOutcome> {
    const orderId = String(order.id)
    if (error instanceof ServiceUnavailableError || error instanceof UnauthorizedError) {
      log.warn({ orderId, code: error.code }, 'the service does not take orders now')
      return waitOrFail(order, error)
    }
    unavailableSince = undefined
    if (error instanceof RateLimitedError) {
      return waitFor(error.retryAfterMs ?? BUSY_MS)
    }
    if (error instanceof InsufficientBalanceError) {
      log.error({ orderId }, 'the account at the service cannot pay for an order')
      return fail(order, refused(402))
    }
    if (error instanceof InvalidRequestError) return fail(order, refused(422, error.detail))
    if (error instanceof ProviderRejectedError) return fail(order, refused(502))
    const isDone = error instanceof UnexpectedAnswerError && (error.status ?? 0) < 300
    if (error instanceof OutcomeUnknownError || isDone) {
      log.warn({ orderId, code: error.code }, 'it is not known whether an order was taken')
      return { status: 'unknown' }
    }
    if (error instanceof UnexpectedAnswerError) return fail(order, refused(502))
    throw error
  }

  async function waitOrFail(
    order: Order,
    error: ServiceUnavailableError | UnauthorizedError,
  ): Promise<SubmitOutcome> {
    unavailableSince ??= now()
    const since = Math.max(unavailableSince, order.createdAt.getTime())
    if (now() - since > UNAVAILABLE_MS_MAX) return fail(order, refused(503))
    const asked = error instanceof ServiceUnavailableError ? error.retryAfterMs : undefined
    return waitFor(asked ?? UNAVAILABLE_MS)
  }

  function waitFor(ms: number): SubmitOutcome {
    return { status: 'wait', untilAt: now() + Math.min(ms, WAIT_MS_MAX) }
  }

  async function fail(order: Order, failure: Failure): Promise<SubmitOutcome> {
    await store.fail(order, failure)
    return { status: 'moved' }
  }

  /** Undefined while the service does not say. */
  async function honoursKey(): Promise<boolean | undefined> {
    try {
      return (await service.balance()).honoursIdempotencyKey
    } catch (error) {
      log.warn(errorFacts(error), 'the service does not say how an order stands')
      return undefined
    }
  }

  /** A task that was paid for must not be lost to a database that is away for a moment. */
  async function retryUntilStored(order: Order, taskId: number): Promise<void> {
    await retry(() => store.setGenerating(order, taskId), {
      clock: systemClock,
      delayAfter(error, attempts) {
        const isLost = error instanceof Error && error.name === 'LeaseLostError'
        if (!isLost && attempts < STORE_ATTEMPTS_MAX) return backoffMs(STORE_BACKOFF, attempts)
        log.error({ orderId: String(order.id), taskId }, 'cannot note the task of an order')
        return undefined
      },
    })
  }
}
