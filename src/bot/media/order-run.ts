import { readCallback } from '../../contract/client/read-answers.ts'
import { LeaseLostError } from '../../platform/database/instance/instance.ts'
import { type Backoff, backoffMs } from '../../platform/time/retry.ts'
import type { QueuePosition } from '../queue.ts'
import { errorFacts, isTelegramError } from '../telegram/errors.ts'
import type { Delivery } from './deliver.ts'
import type { TakenOrder } from './order-rows.ts'
import { CHAT_UNREACHABLE_EARLY, type Order } from './orders-app.ts'
import { endOf, type PolledTask, type Polls, type TaskEnd } from './poll.ts'
import type { OrderParts } from './status.ts'
import type { Submission } from './submit.ts'
import { statusText } from './texts.ts'

/** After a step that failed the order is read again and continued. */
const RETRY: Backoff = { firstMs: 1_000, maxMs: 60_000 }
/** A waiting order checks so often whether admins gave its user more room. */
const WAITING_MS = 60_000
/** The next try, in case Telegram does not report that a chat accepts messages again. */
const PARKED_MS = 24 * 3600_000

export interface RunParts extends OrderParts {
  submission: Submission
  polls: Polls
  delivery: Delivery
}

/**
 * One life of an order in this process: waiting → placed → submitted → generating → ready → delivered, or failed.
 *
 * Each step begins with the row and ends with a state that is stored, so that a restart continues from there.
 */
export class OrderRun {
  readonly id: bigint
  readonly #parts: RunParts
  #isTaken = false
  #isWoken = false
  #pause: AbortController | undefined
  #leaveQueue: (() => void) | undefined
  #task: PolledTask | undefined
  /** When its user may no longer cancel it, and when its position is shown next, by this process's clock. */
  #leavesAt: number | undefined
  #statusAt = Number.NEGATIVE_INFINITY
  #shownText: string | undefined
  #editing: Promise<void> = Promise.resolve()

  constructor(parts: RunParts, id: bigint, taken?: TakenOrder) {
    this.#parts = parts
    this.id = id
    if (taken === undefined) return
    this.#isTaken = true
    if (!taken.isGenerating) return
    this.#task = parts.polls.begin(taken)
  }

  wake(): void {
    this.#isWoken = true
    this.#pause?.abort()
    if (this.#task !== undefined) this.#parts.polls.wake(this.#task)
    if (this.#leaveQueue !== undefined) void this.#leaveIfCancelled(this.#leaveQueue)
  }

  /** Never rejects. */
  async live(): Promise<void> {
    const { stopping } = this.#parts
    let failures = 0
    while (!stopping.aborted) {
      try {
        if (await this.#step()) return
        failures = 0
      } catch (error) {
        if (stopping.aborted) return
        failures += 1
        // Its user cancelled it, or another process has it: the row decides.
        if (!(error instanceof LeaseLostError)) this.#log(error, 'step of an order failed')
        await this.#wait(backoffMs(RETRY, failures))
      }
    }
  }

  /** @returns Whether nothing is left to do here. */
  async #step(): Promise<boolean> {
    const { rows, submission } = this.#parts
    // A polled order keeps no row in memory.
    if (this.#task !== undefined) return this.#untilEnd(this.#task)
    this.#isTaken ||= await rows.take(this.id)
    const order = this.#isTaken ? await rows.readOwn(this.id) : undefined
    if (order === undefined) return true
    switch (order.state) {
      case 'waiting':
        await this.#waitForRoom(order)
        return false
      case 'placed':
        await this.#place(order)
        return false
      case 'submitted': {
        const next = await submission.settle(order)
        if (next === 'again') await this.#submit(order)
        else await this.#wait(next)
        return false
      }
      case 'generating':
        await this.#beginPolls(order)
        return false
      case 'ready':
        await this.#deliver(order)
        return false
      case 'failed':
        await this.#showEnd(order, () => this.#parts.status.showFailure(order))
        return true
      case 'cancelled':
        await this.#showEnd(order, () => this.#parts.status.showCancelled(order))
        return true
      case 'draft':
      case 'delivered':
        throw new TypeError(`Cannot continue order ${this.id}: it is ${order.state}`)
    }
  }

  async #waitForRoom(order: Order): Promise<void> {
    if (!(await this.#announce(order))) return
    if (await this.#parts.rows.admit(order)) return
    await this.#wait(WAITING_MS)
  }

  async #place(order: Order): Promise<void> {
    const announced = await this.#announce(order)
    if (announced === undefined) return
    const leavesInMs = (this.#leavesAt ?? 0) - this.#parts.app.clock.now()
    if (leavesInMs > 0) return this.#wait(leavesInMs)
    await this.#submit(announced)
  }

  /** @returns Undefined if its user cannot be reached: the order has failed. */
  async #announce(order: Order): Promise<Order | undefined> {
    const { app, rows, status, stopping } = this.#parts
    const { statusMessageId } = order
    const isMoved = statusMessageId === null
    if (this.#leavesAt !== undefined && !isMoved) return order
    try {
      // 0: the message may be there, but its id is not known.
      const announced = statusMessageId === 0 ? order : await status.announce(order)
      this.#leavesAt = app.clock.now() + app.timings.cancelMs
      return announced
    } catch (error) {
      if (stopping.aborted || error instanceof LeaseLostError) throw error
      if (isTelegramError(error, 'chat_unreachable')) {
        await rows.fail(order, CHAT_UNREACHABLE_EARLY)
        return undefined
      }
      this.#log(error, 'not shown that an order was taken')
      this.#leavesAt = app.clock.now()
      return order
    }
  }

  async #submit(order: Order): Promise<void> {
    try {
      await this.#parts.submission.submit(order, {
        onPosition: (position) => this.#showPosition(order, position),
        onJoined: (leave) => {
          this.#leaveQueue = leave
          // It may have been cancelled just now.
          void this.#leaveIfCancelled(leave)
        },
      })
    } finally {
      this.#leaveQueue = undefined
      // Another process may show what comes next.
      await this.#editing
    }
  }

  async #leaveIfCancelled(leave: () => void): Promise<void> {
    // A cancelled order is not submitted in any case.
    const order = await this.#parts.rows.read(this.id).catch(() => undefined)
    if (order?.state === 'cancelled') leave()
  }

  async #beginPolls(order: Order): Promise<void> {
    const { taskId, expectsCallback } = order
    if (taskId === null) throw new TypeError(`Cannot poll order ${order.id}: it has no task`)
    const reported = reportedEnd(order)
    if (reported !== undefined) return this.#recordEnd(order, reported)
    await this.#showOnTheWay(order)
    const madeForMs = order.madeForMs()
    this.#task = this.#parts.polls.begin({ taskId, expectsCallback, madeForMs })
  }

  async #untilEnd(task: PolledTask): Promise<boolean> {
    const { rows, polls, stopping } = this.#parts
    const end = this.#isWoken ? undefined : await polls.untilEnd(task)
    if (stopping.aborted) return true
    this.#isWoken = false
    const order = await rows.readOwn(this.id)
    if (order === undefined) return true
    const known = reportedEnd(order) ?? end
    if (known === undefined) return false
    await this.#recordEnd(order, known)
    this.#task = undefined
    return false
  }

  #showPosition(order: Order, position: QueuePosition): void {
    const { clock, timings } = this.#parts.app
    if (clock.now() < this.#statusAt) return
    this.#statusAt = clock.now() + timings.statusMs
    void this.#showOnTheWay(order, position)
  }

  #showOnTheWay(order: Order, position?: QueuePosition): Promise<void> {
    const { app, status } = this.#parts
    const text = statusText(order, { texts: app.texts, position })
    if (text === this.#shownText) return this.#editing
    this.#shownText = text
    this.#editing = status.editOnTheWay(order, text)
    return this.#editing
  }

  async #recordEnd(order: Order, end: TaskEnd): Promise<void> {
    const { app, rows } = this.#parts
    if ('resultUrls' in end) return rows.setReady(order, end.resultUrls)
    const { id, taskId } = order
    const facts = { orderId: String(id), taskId, errorCode: end.failure.code }
    app.log.warn(facts, 'the task of an order failed')
    await rows.fail(order, end.failure)
  }

  async #deliver(order: Order): Promise<void> {
    const { rows, delivery } = this.#parts
    // Its chat accepts nothing. It is delivered when the chat does, or tried again some day.
    if (order.parkedAt !== null) await this.#wait(PARKED_MS)
    const current = order.parkedAt === null ? order : await rows.readOwn(this.id)
    if (current === undefined || this.#parts.stopping.aborted) return
    await this.#wait(await delivery.deliver(current))
  }

  async #showEnd(order: Order, show: () => Promise<void>): Promise<void> {
    try {
      await show()
    } catch (error) {
      if (!isTelegramError(error, 'chat_unreachable')) throw error
      this.#log(error, 'the user of an order cannot be reached')
    }
    await this.#parts.rows.end(order)
  }

  async #wait(ms: number): Promise<void> {
    if (ms <= 0) return
    if (!this.#isWoken) {
      this.#pause = new AbortController()
      // `wake()` aborts the sleep.
      await this.#parts.app.clock.sleep(ms, this.#pause.signal).catch(() => {})
    }
    this.#isWoken = false
  }

  #log(error: unknown, message: string): void {
    this.#parts.app.log.warn({ ...errorFacts(error), orderId: String(this.id) }, message)
  }
}

/** A callback that precedes the answer to the creation may belong to another task. */
function reportedEnd({ taskId, calledBack }: Order): TaskEnd | undefined {
  const reported = readCallback(calledBack)
  if (reported?.taskId !== taskId) return undefined
  return endOf(reported.state, { denials: 0, isOverdue: false })
}
