/**
 * Videos, images and sounds from their order to their delivery. The active process does the work.
 *
 * An order is stored and started; from there on it runs by itself: `OrderRun`. Its states: docs/bot.md#life-of-an-order.
 * Invariant: of each order at most one run exists, in the process that the row names.
 */
import { setImmediate } from 'node:timers/promises'
import type { MediaKind } from '../../contract/tasks.ts'
import type { Prisma } from '../../platform/database/generated/client.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Destination } from '../telegram/message.ts'
import { Delivery } from './deliver.ts'
import { OrderRows, type TakenOrder } from './order-rows.ts'
import { OrderRun, type RunParts } from './order-run.ts'
import type { OrdersApp, OrderTimings } from './orders-app.ts'
import {
  type CancelOutcome,
  type CancelRequest,
  cancelOrder,
  ORDER_CHANNEL,
  placeOrder,
  type StoredDraft,
} from './place-order.ts'
import { POLL_MS, Polls } from './poll.ts'
import { OrderStatus } from './status.ts'
import { Submission } from './submit.ts'

/** How often this process checks for orders that another one still works on, or gives back orders as their steps end. */
const HAND_OVER_MS = 500
/** How long aborted steps may take. Real time, since the database does not follow `clock`. */
const ABORT_MS = 1_000

/** Waits of an order that tests shorten. */
export const ORDER_TIMINGS: OrderTimings = {
  pollMs: POLL_MS,
  redeliverMs: 30_000,
  statusMs: 15_000,
  cancelMs: 3_000,
  inPlaceMs: 60_000,
}

export class Orders {
  readonly #app: OrdersApp
  readonly #parts: RunParts
  readonly #runs = new Map<bigint, OrderRun>()
  /** Resolve when the runs have ended. */
  readonly #lives = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #aborted = new AbortController()
  #mayHaveTaken = false
  #isWaitingForOthers = false

  constructor(app: OrdersApp) {
    const stopping = this.#stopping.signal
    const aborted = this.#aborted.signal
    const rows = new OrderRows(app)
    const status = new OrderStatus(app, rows, aborted)
    const parts = { app, rows, status, stopping, aborted }
    const submission = new Submission(parts)
    this.#app = app
    this.#parts = { ...parts, submission, polls: new Polls(app), delivery: new Delivery(parts) }
  }

  /** Takes up all orders, now and whenever another process has ended. */
  async open(): Promise<void> {
    const { notifications, sweep, log } = this.#app
    notifications.listen(ORDER_CHANNEL, {
      onNotification: (id) => this.#runs.get(BigInt(id))?.wake(),
      onGap: () => {
        for (const run of this.#runs.values()) run.wake()
      },
    })
    await sweep.add(() => this.#resumeAll())
    log.debug({ orders: this.#runs.size }, 'open orders taken up')
  }

  /**
   * Orders a draft in the transaction that decides to. Start it after the commit.
   *
   * @throws {LimitReachedError} If a limit leaves no room for it. The transaction is to be rolled back.
   */
  place(tx: Prisma.TransactionClient, draft: StoredDraft): Promise<void> {
    return placeOrder(this.#app, tx, draft)
  }

  /** Starts an order that was placed, after the commit. Safe to repeat. */
  start(id: bigint, taken?: TakenOrder): void {
    // The next active process finds it.
    if (this.#stopping.signal.aborted || this.#runs.has(id)) return
    const run = new OrderRun(this.#parts, id, taken)
    this.#runs.set(id, run)
    const life = run.live().finally(() => {
      this.#runs.delete(id)
      this.#lives.delete(life)
    })
    this.#lives.add(life)
  }

  cancel(request: CancelRequest): Promise<CancelOutcome> {
    return cancelOrder(this.#app.prisma, request)
  }

  isClosed(kind: MediaKind): boolean {
    return this.#parts.submission.isClosed(kind)
  }

  /** Sends the results of a delivered order once more, at no cost. */
  async sendAgain(orderId: bigint, destination: Destination): Promise<void> {
    const order = await this.#parts.rows.read(orderId)
    if (order !== undefined) await this.#parts.delivery.sendAgain(order, destination)
  }

  /** Delivers the results that are kept for a chat: it accepts messages again. */
  giveKept(chatId: number): Promise<void> {
    return this.#parts.rows.releaseParked(chatId)
  }

  /** Begins no further steps and awaits the running steps. Waiting orders are released at once. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort(new Error('The process stops'))
    for (const run of this.#runs.values()) run.wake()
    this.#parts.polls.stop()
    const givenBack = this.#giveBack()
    if (!(await settleWithin(this.#lives, timeoutMs, this.#app.clock))) {
      this.#aborted.abort(new Error('The process stops'))
      await settleWithin(this.#lives, ABORT_MS)
    }
    await settleWithin([givenBack], ABORT_MS)
  }

  async #resumeAll(): Promise<void> {
    const { rows } = this.#parts
    if (this.#stopping.signal.aborted) return
    const withOwn = this.#mayHaveTaken
    this.#mayHaveTaken = true
    for (const taken of await rows.takeAll({ withOwn })) this.start(taken.id, taken)
    this.#mayHaveTaken = false
    if (await rows.areOthersBusy()) void this.#waitForOthers()
  }

  /** Another process hands over: it works on some orders still. */
  async #waitForOthers(): Promise<void> {
    if (this.#isWaitingForOthers) return
    const { clock, log } = this.#app
    this.#isWaitingForOthers = true
    try {
      await clock.sleep(HAND_OVER_MS, this.#stopping.signal)
      this.#isWaitingForOthers = false
      await this.#resumeAll()
    } catch (error) {
      this.#isWaitingForOthers = false
      if (!this.#stopping.signal.aborted) log.warn(errorFacts(error), 'orders not taken over yet')
    }
  }

  /** Gives orders back as their steps end, for the next active process. */
  async #giveBack(): Promise<void> {
    const { clock, log } = this.#app
    try {
      // Waiting orders have left their waits by then.
      await setImmediate()
      for (;;) {
        const ids = [...this.#runs.keys()]
        await this.#parts.rows.giveBack(ids)
        if (ids.length === 0) return
        const { signal } = this.#aborted
        await Promise.race([clock.sleep(HAND_OVER_MS, signal), Promise.allSettled(this.#lives)])
      }
    } catch (error) {
      // The leases end with this process.
      log.warn(errorFacts(error), 'orders not given back')
    }
  }
}
