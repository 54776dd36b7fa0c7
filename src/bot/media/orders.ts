import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import type { MediaKind } from '../../contract/tasks.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { type Instance, LeaseLostError } from '../../platform/database/instance/instance.ts'
import type { UrlGuard } from '../../platform/http/find-target.ts'
import type { DueRows, TakenRow, Worker } from '../../platform/jobs/due-rows.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { AdminAlerts } from '../alerts/alert-admins.ts'
import type { Texts } from '../locales/texts.ts'
import type { ServiceQueue } from '../queue.ts'
import type { Calendar } from '../spend/calendar.ts'
import type { Limits } from '../spend/limits.ts'
import type { Destination } from '../telegram/message.ts'
import type { Outbox } from '../telegram/send.ts'
import type { AgainButtons } from './again.ts'
import { createResultGiving } from './delivery/give-results.ts'
import { createSendAgain } from './delivery/send-again.ts'
import { createResultDelivery, releaseParked } from './delivery/show-results.ts'
import type { CreatedOrder, NewOrder } from './order/insert-order.ts'
import type { OrderFailure } from './order/order-failure.ts'
import { createOrderStatus } from './order/order-status.ts'
import { createOrderStore, type Order } from './order/order-store.ts'
import { ORDER_TABLE } from './order/order-table.ts'
import type { MediaRules } from './order/rules.ts'
import { createFailureMessages } from './order/show-failure.ts'
import { createCallbackUrls } from './task/callback-urls.ts'
import {
  type CancelOutcome,
  type CancelRequest,
  cancelOrder,
  createCancellations,
} from './task/cancel-order.ts'
import { createClosedKinds } from './task/closed-kinds.ts'
import { createDeadline } from './task/deadline.ts'
import { createOrderPoller, HOLD_MS, POLLED_COLUMNS, type PolledOrder } from './task/poll-order.ts'
import { createPollPace, POLL_MS } from './task/poll-pace.ts'
import { createOrderSubmission } from './task/submit-order.ts'

/** Each kind of work has an index of its own, whose condition holds for it. */
const SUBMISSION = {
  table: { ...ORDER_TABLE, where: "state IN ('placed', 'submitted')" },
  // Most of these visits wait in the queue for the service.
  concurrency: 1_000,
}
/** Outside the queue: visited for a moment, also while the queue is as long as visits are allowed. */
const ASIDE = {
  table: { ...ORDER_TABLE, where: "state IN ('waiting', 'cancelled')" },
  concurrency: 20,
}
const POLLING = {
  table: { ...ORDER_TABLE, where: "state = 'generating'", columns: POLLED_COLUMNS },
  // Most of these visits wait until the next poll.
  concurrency: 10_000,
  holdMs: HOLD_MS,
}
const DELIVERY = {
  table: { ...ORDER_TABLE, where: "state = 'ready'" },
  // Results that are uploaded stand on disk meanwhile, up to 50 MB of each order.
  concurrency: 8,
}
const FAILURE_MESSAGES = {
  table: { ...ORDER_TABLE, where: "state = 'failed'" },
  concurrency: 4,
}

/** How long an order waits where nothing else decides. */
export interface OrderTimings {
  pollMs: number
  redeliverMs: number
  stopMs: number
  statusMs: number
  cancelMs: number
  /** Milliseconds from an order on in which its result takes the place of its message, which makes no sound. */
  inPlaceMs: number
}

const TIMINGS: OrderTimings = {
  pollMs: POLL_MS,
  redeliverMs: 30_000,
  stopMs: 20_000,
  statusMs: 15_000,
  cancelMs: 3_000,
  inPlaceMs: 60_000,
}

export interface OrdersDeps {
  prisma: PrismaClient
  instance: Pick<Instance, 'id'>
  dueRows: DueRows
  openQueue: (kind: MediaKind, signal: AbortSignal) => ServiceQueue
  service: Pick<ServiceClient, 'createTask' | 'task' | 'balance'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim' | 'editToMedia' | 'sendMedia' | 'remove'>
  alerts: Pick<AdminAlerts, 'observe' | 'report'>
  texts: Texts
  againButtons: Pick<AgainButtons, 'belowResult' | 'belowFailure'>
  rules: Pick<MediaRules, 'read'>
  calendar: Calendar
  limits: Pick<Limits, 'reserve'>
  /** Called with an order that was charged; it does not throw. */
  onCharged: (order: Order) => Promise<void>
  /** The root at which the service reports the ends of tasks; undefined where it cannot reach this process. */
  callbackRoot: string | undefined
  guard: UrlGuard
  log: Logger
  timings?: Partial<OrderTimings>
  clock?: Clock
}

/**
 * Clips, pictures and sounds from their order to their delivery. The active process does the work.
 *
 * The life of an order, state by state: docs/bot.md#life-of-an-order.
 */
export function createOrders(deps: OrdersDeps) {
  const { prisma, instance, dueRows, service, outbox, alerts, texts } = deps
  const { againButtons, rules, calendar, limits, log, clock = systemClock } = deps
  const { pollMs, redeliverMs, stopMs, statusMs, cancelMs, inPlaceMs } = {
    ...TIMINGS,
    ...deps.timings,
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const stored = createOrderStore({
    prisma,
    rules,
    instanceId: instance.id,
    calendar,
    limits,
    clock,
  })
  const store = { ...stored, fail, setGenerating }
  const status = createOrderStatus({ store, outbox, texts, cancelMs, statusMs, clock, log })
  const closedKinds = createClosedKinds({ clock })
  const cancellations = createCancellations(prisma)
  const openQueue = (kind: MediaKind) => deps.openQueue(kind, signal)
  const { takeUp, submit, settle } = createOrderSubmission({
    store,
    service,
    callbackUrls: createCallbackUrls({ root: deps.callbackRoot, log }),
    queues: { video: openQueue('video'), image: openQueue('image'), sound: openQueue('sound') },
    cancellations,
    closedKinds,
    status,
    alerts,
    pollMs,
    clock,
    log,
    signal,
  })
  const poller = createOrderPoller({
    store,
    service,
    pace: createPollPace({ pollMs, clock }),
    deadline: createDeadline({ rules, clock, log }),
    status,
    pollMs,
    clock,
    log,
    signal,
  })
  const giving = createResultGiving({ guard: deps.guard, log, signal })
  const { show } = createResultDelivery({
    store,
    outbox,
    giving,
    status,
    texts,
    againButtons,
    redeliverMs,
    inPlaceMs,
    log,
    signal,
  })
  const again = createSendAgain({ outbox, giving, texts, log })
  const failureMessages = createFailureMessages({
    store,
    status,
    texts,
    againButtons,
    log,
    signal,
  })
  let workers: Worker[] = []
  return {
    /**
     * Safe to repeat: what asked for it has one order, the first.
     *
     * @throws {LimitReachedError} If a limit leaves no room for it.
     */
    create: (order: NewOrder): Promise<CreatedOrder> => store.insert(order),
    /** Orders a draft, in the transaction that has its row. @throws {LimitReachedError} */
    place: store.place,
    cancel,
    isClosed: closedKinds.isClosed,
    sendAgain,
    giveKept: (chatId: number) => releaseParked(prisma, chatId),
    start,
    stop,
  }

  async function cancel(request: CancelRequest): Promise<CancelOutcome> {
    const outcome = await cancelOrder(prisma, request)
    if (outcome === 'cancelled') cancellations.notify(request.orderId)
    return outcome
  }

  async function sendAgain(orderId: bigint, destination: Destination): Promise<void> {
    const order = await store.read(orderId)
    if (order !== undefined) await again.sendAgain(order, destination)
  }

  function start(): void {
    const visitRow = (row: TakenRow) => orLeave(row, () => visit(BigInt(row.id)))
    workers = [
      dueRows.work({ ...ASIDE, visit: visitRow }),
      dueRows.work({ ...SUBMISSION, visit: visitRow }),
      dueRows.work<PolledOrder>({
        ...POLLING,
        visit: (row) => orLeave(row, () => poller.visit(row)),
      }),
      dueRows.work({ ...DELIVERY, visit: visitRow }),
      dueRows.work({ ...FAILURE_MESSAGES, visit: visitRow }),
    ]
  }

  async function stop(timeoutMs: number): Promise<void> {
    stopping.abort(new Error('The process stops'))
    await Promise.all(workers.map((worker) => worker.stop(Math.min(timeoutMs, stopMs))))
  }

  async function orLeave<Due>({ failedVisits }: TakenRow, visit: () => Promise<Due>) {
    try {
      return await visit()
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) {
        return { dueInMs: 0, failedVisits }
      }
      throw error
    }
  }

  /**
   * Takes an order that is not being made to its next state, or finds out that it is not time yet; after an
   * interruption the next visit goes on from the row. This process has the order's lease.
   *
   * @returns In how many milliseconds the order is due again; undefined when it has ended.
   */
  async function visit(id: bigint): Promise<number | undefined> {
    const order = await store.read(id)
    if (order === undefined || order.endedAt !== null) return undefined
    switch (order.state) {
      case 'waiting':
        return takeUp(order)
      case 'placed':
        return submit(order)
      case 'submitted':
        return settle(order)
      case 'generating':
        return 0
      case 'ready':
        return show(order)
      case 'failed':
        return failureMessages.show(order)
      case 'cancelled':
        return failureMessages.showCancelled(order)
      case 'draft':
      case 'delivered':
      case 'dropped':
        throw new Error(`Cannot visit order ${id}: it is ${order.state} and has not ended`)
    }
  }

  async function setGenerating(...[order, task]: Parameters<typeof stored.setGenerating>) {
    const made = await stored.setGenerating(order, task)
    void deps.onCharged(order)
    return made
  }

  async function fail(order: Order, failure: OrderFailure): Promise<Order> {
    const failed = await stored.fail(order, failure)
    if (failure.money === 'write_off') alerts.report('order_written_off')
    return failed
  }
}

export type Orders = ReturnType<typeof createOrders>
