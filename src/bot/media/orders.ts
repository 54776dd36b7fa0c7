import type { Logger } from 'pino'
import type { ServiceClient } from '../../client/service-client.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { settleWithin } from '../../time/graceful-stop.ts'
import type { Texts } from '../locales/texts.ts'
import { createSubmissionQueue } from '../queue/submission-queue.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { ChatUnreachableError } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { createDeliverer } from './deliver.ts'
import { chatUnreachableEarly } from './failure.ts'
import { createOrderStatus } from './order-status.ts'
import { createOrderStore, LeaseLostError, type NewOrder, type Order } from './order-store.ts'
import { createOrderSweep } from './order-sweep.ts'
import { createPollPace, POLL_MS } from './poll-pace.ts'
import { createSubmitter, type SubmitOutcome } from './submit-order.ts'
import { createOrderVisits } from './visit-order.ts'

/** How long an order waits for its next look where nothing tells better, and a task between looks. */
export interface OrderTimings {
  pollMs: number
  /** A clip that could not be fetched. */
  redeliverMs: number
  /** Looking for orders whose process died. */
  sweepMs: number
  /** What is under way when the process stops. */
  stopMs: number
}

const TIMINGS: OrderTimings = {
  pollMs: POLL_MS,
  redeliverMs: 30_000,
  sweepMs: 10_000,
  stopMs: 20_000,
}

export interface OrdersDeps {
  prisma: PrismaClient
  instance: { id: number }
  jobs: Pick<Jobs, 'send' | 'work'>
  service: Pick<ServiceClient, 'createVideo' | 'task' | 'balance'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editToVideo'>
  texts: Texts
  log: Logger
  timings?: Partial<OrderTimings>
  now?: () => number
}

/** Clips from their order to their delivery. */
export interface Orders {
  /**
   * Stores an order and shows its user that it is taken. The rest happens by itself.
   *
   * Safe to repeat: a command has one order, the first.
   */
  place(order: NewOrder): Promise<void>
  /** Takes up every order that has not ended, then moves orders until `stop()`. */
  start(): Promise<void>
  /** Begins nothing more and waits a while for what is under way. What is left is taken up again. */
  stop(): Promise<void>
}

/** Creates the orders of one process. Several processes on one database share the work. */
export function createOrders(deps: OrdersDeps): Orders {
  const { prisma, instance, jobs, service, outbox, texts, log, now = Date.now } = deps
  const timings = { ...TIMINGS, ...deps.timings }
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  const store = createOrderStore({ prisma, instanceId: instance.id })
  const orderSweep = createOrderSweep({ store, jobs, sweepMs: timings.sweepMs, log })
  const status = createOrderStatus({ store, outbox, texts, log })
  const submitter = createSubmitter({ store, service, log, now })
  const deliverer = createDeliverer({ store, outbox, status, texts, log, now })
  const line = createSubmissionQueue({
    now,
    takeNext: async () => {
      try {
        return await store.leaseNextPlaced()
      } catch (error) {
        log.error(errorFacts(error), 'cannot read the line of orders')
        return undefined
      }
    },
    submit: (order) => handOver(order, submitter.submit),
  })
  const { visit } = createOrderVisits({
    store,
    service,
    line,
    pace: createPollPace(timings),
    status,
    announce: (orderId) =>
      inBackground(orderId, ['placed'], (order) =>
        announce(order).finally(() => store.release(orderId)),
      ),
    settle: (orderId) =>
      inBackground(orderId, ['submitted'], async (order) => {
        await handOver(order, submitter.settle)
      }),
    sendToDelivery: (orderId) => jobs.send('order-deliver', String(orderId)),
    log,
    lookMs: timings.pollMs,
    now,
  })
  return { place, start, stop }

  async function place(given: NewOrder): Promise<void> {
    const order = await store.insert(given)
    if (order === undefined) return
    try {
      await announce(order)
    } catch (error) {
      log.warn(
        { ...errorFacts(error), orderId: String(order.id) },
        'cannot show that an order is taken',
      )
    } finally {
      await store.release(order.id)
      await jobs.send('order-poll', String(order.id))
    }
    line.kick()
  }

  async function start(): Promise<void> {
    await jobs.work('order-poll', (id) => whileRunning(() => visit(BigInt(id), stopping.signal)))
    await jobs.work('order-deliver', (id) => whileRunning(() => deliver(BigInt(id))))
    await orderSweep.start()
  }

  async function stop(): Promise<void> {
    orderSweep.stop()
    stopping.abort(new Error('The process stops'))
    await settleWithin([line.stop(), ...running], timings.stopMs)
  }

  /** A stopped process leaves its visits to the next one. */
  async function whileRunning(look: () => Promise<Date | undefined>): Promise<Date | undefined> {
    if (stopping.signal.aborted) return later()
    try {
      return await look()
    } catch (error) {
      if (stopping.signal.aborted || error instanceof LeaseLostError) return later()
      throw error
    }
  }

  async function announce(order: Order): Promise<void> {
    if (order.statusMessageId !== null) return
    const before = await store.placedBefore(order.id)
    const mustWait = before > 0 || line.waitsUntil() > now()
    try {
      await status.announce(order, mustWait ? before + 1 : 0, stopping.signal)
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      // Nothing was asked of the service yet, and nobody would see the clip.
      await store.fail(order, chatUnreachableEarly())
    }
  }

  /**
   * Hands a leased order to the service, or finds out whether that was done. Ends the lease and has
   * the order looked at next.
   */
  async function handOver(
    order: Order,
    attempt: (order: Order) => Promise<SubmitOutcome>,
  ): Promise<void> {
    let outcome: SubmitOutcome = { status: 'unknown' }
    try {
      outcome = await attempt(order)
    } catch (error) {
      log.error(
        { ...errorFacts(error), orderId: String(order.id) },
        'cannot hand an order to the service',
      )
    }
    // The line closes before the order is free, or it would be handed over again at once.
    if (outcome.status === 'wait') line.wait(outcome.untilAt)
    try {
      await store.release(order.id)
      const moved = await store.read(order.id)
      if (moved?.state === 'generating') status.show(moved)
      const queue = moved?.state === 'failed' ? 'order-deliver' : 'order-poll'
      const at = outcome.status === 'moved' ? undefined : later()
      await jobs.send(queue, String(order.id), at)
    } catch (error) {
      // The look that is always under way finds the order, or the sweep does.
      log.error({ ...errorFacts(error), orderId: String(order.id) }, 'cannot pass an order on')
    }
  }

  async function deliver(id: bigint): Promise<Date | undefined> {
    const order = await store.lease(id, ['ready', 'failed'])
    if (order === undefined) {
      const seen = await store.read(id)
      return seen === undefined || seen.endedAt !== null ? undefined : later()
    }
    try {
      const outcome = await deliverer.deliver(order, stopping.signal)
      if (outcome === 'later') return new Date(now() + timings.redeliverMs)
      status.forget(id)
      return undefined
    } finally {
      await store.release(id)
    }
  }

  /** @param act Ends the lease. */
  function inBackground(
    orderId: bigint,
    states: readonly Order['state'][],
    act: (order: Order) => Promise<void>,
  ): void {
    const run = lease().finally(() => running.delete(run))
    running.add(run)

    async function lease(): Promise<void> {
      try {
        const order = await store.lease(orderId, states)
        if (order === undefined) return
        await act(order)
      } catch (error) {
        if (stopping.signal.aborted) return
        log.error({ ...errorFacts(error), orderId: String(orderId) }, 'cannot move an order')
      }
    }
  }

  function later(): Date {
    return new Date(now() + timings.pollMs)
  }
}
