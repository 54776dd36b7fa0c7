/**
 * Videos, images and sounds from their order to their delivery. The active process does the work.
 *
 * An order is stored and started; from there on it runs by itself: `OrderRun`. Its states: docs/bot.md#life-of-an-order.
 * Invariant: of each order at most one run exists, in the process that the row names.
 */
import { setImmediate } from 'node:timers/promises'
import type { Prisma } from '../../platform/database/generated/client.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import { errorFacts } from '../telegram/errors.ts'
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

/** How long aborted steps may take. Real time, since the database does not follow `clock`. */
const ABORT_MS = 1_000

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
  readonly #lives = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #aborted = new AbortController()

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

  /** Takes over all orders, now and whenever another process has ended. */
  async open(): Promise<void> {
    const { notifications, sweep, log } = this.#app
    notifications.listen(ORDER_CHANNEL, {
      onNotification: (id) =>
        id === '' ? void this.#resumeReleased() : this.#runs.get(BigInt(id))?.wake(),
      onGap: () => {
        for (const run of this.#runs.values()) run.wake()
      },
    })
    await sweep.add(() => this.#resumeAll())
    log.debug({ orders: this.#runs.size }, 'open orders taken up')
  }

  /** Call `start()` after the commit. @throws {LimitReachedError} If a limit leaves no room: roll back. */
  place(tx: Prisma.TransactionClient, draft: StoredDraft): Promise<void> {
    return placeOrder(this.#app, tx, draft)
  }

  /** Call it after the commit. Safe to repeat. */
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

  async sendAgain(orderId: bigint, destination: Destination): Promise<void> {
    const order = await this.#parts.rows.read(orderId)
    if (order !== undefined) await this.#parts.delivery.sendAgain(order, destination)
  }

  giveKept(chatId: number): Promise<void> {
    return this.#parts.rows.releaseParked(chatId)
  }

  /** Begins no further steps and awaits the running steps. Waiting orders are released at once. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort(new Error('The process stops'))
    for (const run of this.#runs.values()) run.wake()
    this.#parts.polls.stop()
    // Waiting orders leave their waits first.
    await setImmediate()
    await settleWithin([this.#giveBack()], ABORT_MS)
    if (!(await settleWithin(this.#lives, timeoutMs, this.#app.clock))) {
      this.#aborted.abort(new Error('The process stops'))
      await settleWithin(this.#lives, ABORT_MS)
    }
    await settleWithin([this.#giveBack()], ABORT_MS)
  }

  async #resumeAll(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    for (const taken of await this.#parts.rows.takeAll()) this.start(taken.id, taken)
  }

  async #resumeReleased(): Promise<void> {
    await this.#resumeAll().catch((error: unknown) => {
      // The next sweep takes them.
      this.#app.log.warn(errorFacts(error), 'orders not taken over yet')
    })
  }

  /** Gives the orders without a step under way to the next active process. */
  async #giveBack(): Promise<void> {
    try {
      await this.#parts.rows.giveBack([...this.#runs.keys()])
    } catch (error) {
      // The leases end with this process.
      this.#app.log.warn(errorFacts(error), 'orders not given back')
    }
  }
}
