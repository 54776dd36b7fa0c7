import type { Logger } from 'pino'
import type { ServiceClient } from '../../client/service-client.ts'
import type { MediaKind } from '../../contract/media.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { LeaseLostError } from '../../database/instance.ts'
import type { UrlGuard } from '../../http/find-target.ts'
import type { DueRows, Worker } from '../../jobs/due-rows.ts'
import type { TakenRow } from '../../jobs/row-leases.ts'
import { type Clock, systemClock } from '../../time/clock.ts'
import type { Texts } from '../locales/texts.ts'
import type { ServiceQueue } from '../queue/service-queue.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { createClipDelivery } from './delivery/show-clip.ts'
import { createOrderStatus } from './order/order-status.ts'
import {
  createOrderStore,
  type NewOrder,
  ORDER_TABLE,
  type PlacedOrder,
} from './order/order-store.ts'
import { createOrderSubmission } from './order/submit-order.ts'
import { createFailureNotices } from './order/tell-failure.ts'
import { createOrderPoller } from './polling/poll-order.ts'
import { createPollPace, POLL_MS } from './polling/poll-pace.ts'

const WORK = [
  // Most of these visits wait: in the queue for the service, or for its answer.
  { where: "state IN ('placed', 'submitted', 'generating')", concurrency: 1_000 },
  // Clips are held in memory, up to 50 MB each.
  { where: "state IN ('ready', 'failed')", concurrency: 4 },
]

/** How long an order waits where nothing tells better. */
export interface OrderTimings {
  /** Between looks at a task. */
  pollMs: number
  /** With a clip that could not be shown. */
  redeliverMs: number
  /** For what is under way when the process stops. */
  stopMs: number
  /** Between two edits of the message that tells how an order stands. */
  statusMs: number
}

const TIMINGS: OrderTimings = {
  pollMs: POLL_MS,
  redeliverMs: 30_000,
  stopMs: 20_000,
  statusMs: 15_000,
}

export interface OrdersDeps {
  prisma: PrismaClient
  instance: { id: number }
  dueRows: DueRows
  /** Opens the queue of one kind; it ends with the signal. */
  openQueue: (kind: MediaKind, signal: AbortSignal) => ServiceQueue
  service: Pick<ServiceClient, 'createTask' | 'task' | 'balance'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim' | 'editToMedia'>
  texts: Texts
  /** Where clips may be fetched from. */
  guard: UrlGuard
  log: Logger
  timings?: Partial<OrderTimings>
  clock?: Clock
}

/**
 * Clips from their order to their delivery. Several processes on one database share the work.
 *
 * The life of an order, state by state: docs/bot.md#life-of-an-order.
 */
export function createOrders(deps: OrdersDeps) {
  const { prisma, instance, dueRows, clock = systemClock } = deps
  const timings = { ...TIMINGS, ...deps.timings }
  const stopping = new AbortController()
  const store = createOrderStore({ prisma, instanceId: instance.id, clock })
  const status = createOrderStatus({ ...deps, ...timings, store, clock })
  const parts = { ...deps, ...timings, store, status, clock, signal: stopping.signal }
  const openQueue = (kind: MediaKind) => deps.openQueue(kind, stopping.signal)
  const queues = { video: openQueue('video'), image: openQueue('image'), sound: openQueue('sound') }
  const { submit, settle } = createOrderSubmission({ ...parts, queues })
  const { poll } = createOrderPoller({ ...parts, pace: createPollPace({ clock, ...timings }) })
  const { show } = createClipDelivery(parts)
  const { tell } = createFailureNotices(parts)
  let workers: Worker[] = []
  return { place, start, stop }

  /**
   * Stores an order; the rest happens by itself.
   *
   * Safe to repeat: what asked for it has one order, the first.
   */
  function place(order: NewOrder): Promise<PlacedOrder> {
    return store.insert(order)
  }

  /** Moves orders, those first that another process left, until `stop()`. */
  function start(): void {
    workers = WORK.map(({ where, concurrency }) => {
      const visit = ({ id }: TakenRow) => visitOrLeave(BigInt(id))
      return dueRows.work({ table: { ...ORDER_TABLE, where }, concurrency, visit })
    })
  }

  /** Begins nothing more and waits a while for what is under way. What is left is taken up again. */
  async function stop(): Promise<void> {
    stopping.abort(new Error('The process stops'))
    await Promise.all(workers.map((worker) => worker.stop(timings.stopMs)))
  }

  /** What this process cannot go on with is due at once, for another one or the next start. */
  async function visitOrLeave(id: bigint): Promise<number | undefined> {
    try {
      return await visit(id)
    } catch (error) {
      if (stopping.signal.aborted || error instanceof LeaseLostError) return 0
      throw error
    }
  }

  /**
   * Takes an order to its next state, or finds out that it is not time yet; after an interruption the
   * next visit goes on from the row. This process has the order's lease.
   *
   * @returns In how many milliseconds the order is due again; undefined when it has ended.
   */
  async function visit(id: bigint): Promise<number | undefined> {
    const order = await store.read(id)
    if (order === undefined || order.endedAt !== null) return undefined
    switch (order.state) {
      case 'placed':
        return submit(order)
      case 'submitted':
        return settle(order)
      case 'generating':
        return poll(order)
      case 'ready':
        return show(order)
      case 'failed':
        return tell(order)
      case 'delivered':
      case 'cancelled':
        throw new Error(`Cannot visit order ${id}: it is ${order.state} and has not ended`)
    }
  }
}

export type Orders = ReturnType<typeof createOrders>
