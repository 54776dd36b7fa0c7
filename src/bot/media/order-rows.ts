/**
 * The rows of orders. A process takes an order that no living process has, and works on it until it ends.
 *
 * Invariants:
 * - each change is made by the lease owner, from the state that it knows. A process that was mistaken for dead
 *   changes nothing;
 * - a statement that changes an order from outside its run notifies `ORDER_CHANNEL` with its id.
 */
import type { Prisma } from '../../platform/database/generated/client.ts'
import { aliveSql, isFreeSql, LeaseLostError } from '../../platform/database/instance/instance.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { growAge } from '../../platform/time/clock.ts'
import { recordOrderCharge, takeBackOrderCharge } from '../spend/charges.ts'
import { ORDER_RELATIONS, type Order, type OrderFailure, type OrdersApp } from './orders-app.ts'
import { makeRoom, mayRun, ORDER_CHANNEL } from './place-order.ts'

export interface CreatedTask {
  taskId: number
  expectsCallback: boolean
}

export interface TakenOrder extends CreatedTask {
  id: bigint
  isGenerating: boolean
  madeForMs: number
}

/** Its own orders count: a process does not know that it took a row if the answer to the statement was lost. */
const TAKE = `
  UPDATE bot."order" SET lease_owner = $1
  WHERE ended_at IS NULL AND state <> 'draft' AND ${aliveSql('$1')}
    AND (lease_owner = $1 OR ${isFreeSql('lease_owner')})`
const TAKE_ONE = `${TAKE} AND id = $2`
const TAKE_ALL = `${TAKE}
  RETURNING id, state = 'generating' AND called_back IS NULL AS "isGenerating",
    task_id AS "taskId", expects_callback AS "expectsCallback",
    extract(epoch FROM now() - coalesce(generating_at, created_at))::float8 * 1000 AS "madeForMs"`
const GIVE_BACK = `
  WITH released AS (
    UPDATE bot."order" SET lease_owner = NULL
    WHERE ended_at IS NULL AND lease_owner = $1 AND id <> ALL ($2::bigint[])
  )
  SELECT pg_notify('${ORDER_CHANNEL}', '')`
const RELEASE_PARKED = `
  WITH released AS (
    UPDATE bot."order" SET parked_at = NULL WHERE chat_id = $1 AND state = 'ready' RETURNING id
  )
  SELECT pg_notify('${ORDER_CHANNEL}', id::text) FROM released`

export class OrderRows {
  readonly #app: OrdersApp

  constructor(app: OrdersApp) {
    this.#app = app
  }

  /** @returns False if the order has ended, or another living process has it. */
  async take(id: bigint): Promise<boolean> {
    const { pool, leaseOwner } = this.#app
    return (await pool.query(TAKE_ONE, [leaseOwner, id])).rowCount === 1
  }

  /** Returns this process's own orders as well. */
  async takeAll(): Promise<TakenOrder[]> {
    const { pool, leaseOwner } = this.#app
    const { rows } = await pool.query<TakenOrder>(TAKE_ALL, [leaseOwner])
    return rows.map((row) => ({ ...row, id: BigInt(row.id) }))
  }

  /** Also notifies the next active process. */
  async giveBack(except: readonly bigint[]): Promise<void> {
    const { pool, leaseOwner } = this.#app
    await pool.query(GIVE_BACK, [leaseOwner, except.map(String)])
  }

  /** Delivers the kept results of a chat that accepts messages again. */
  async releaseParked(chatId: number): Promise<void> {
    await this.#app.pool.query(RELEASE_PARKED, [chatId])
  }

  read(id: bigint): Promise<Order | undefined> {
    return this.#find({ id })
  }

  readOwn(id: bigint): Promise<Order | undefined> {
    return this.#find({ id, leaseOwner: this.#app.leaseOwner, endedAt: null })
  }

  /** @throws {LeaseLostError} If the order is not as it was read, or another process has it. */
  async change(
    order: Order,
    data: Partial<Order>,
    tx: Prisma.TransactionClient = this.#app.prisma,
  ): Promise<Order> {
    const { leaseOwner } = this.#app
    const { id, state } = order
    const { resultUrls, ...changes } = data
    const { count } = await tx.order.updateMany({
      where: { id, state, leaseOwner, endedAt: null },
      data: {
        ...(changes as Prisma.OrderUpdateManyMutationInput),
        // Without `set` Prisma would make a plan for each list, and keep it.
        ...(resultUrls !== undefined && { resultUrls: { set: resultUrls } }),
      },
    })
    if (count !== 1) throw new LeaseLostError(leaseOwner)
    return { ...order, ...data }
  }

  /** Also records it if the user cancelled the order while the message was sent. */
  async setStatusMessage({ id }: Order, statusMessageId: number): Promise<void> {
    const { prisma, leaseOwner } = this.#app
    const where = { id, leaseOwner, endedAt: null }
    const { count } = await prisma.order.updateMany({ where, data: { statusMessageId } })
    if (count !== 1) throw new LeaseLostError(leaseOwner)
  }

  /** @returns False if its user has as many orders under way as allowed. */
  async admit(order: Order): Promise<boolean> {
    const { prisma, rules } = this.#app
    const { parallelMax } = await rules.read()
    return prisma.$transaction(async (tx) => {
      const isFree = await mayRun(tx, order, parallelMax)
      if (isFree) await this.change(order, { state: 'placed' }, tx)
      return isFree
    })
  }

  /** Records that the service may have the order from here on. */
  async setSubmitted(order: Order): Promise<Order> {
    const submittedAt = await readTime(this.#app.prisma)
    return this.change(order, { state: 'submitted', submittedAt })
  }

  async setGenerating(order: Order, task: CreatedTask): Promise<Order> {
    const { prisma, clock, spend } = this.#app
    const generating = await prisma.$transaction(async (tx) => {
      const generatingAt = await readTime(tx)
      const changed = await this.change(order, { state: 'generating', ...task, generatingAt }, tx)
      await this.#charge(tx, order, { estimated: false })
      return changed
    })
    void spend.warnOfLimits(order)
    return { ...generating, madeForMs: growAge(0, clock) }
  }

  async setReady(order: Order, resultUrls: string[]): Promise<void> {
    await this.#app.prisma.$transaction((tx) =>
      makeRoom(tx, order.userId, () => this.change(order, { state: 'ready', resultUrls }, tx)),
    )
  }

  /** The same transaction decides about the charge. */
  async fail(order: Order, failure: OrderFailure): Promise<void> {
    const { prisma, spend, alerts } = this.#app
    const { code: errorCode, message: errorMessage = null, money, isEnd = false } = failure
    await prisma.$transaction(async (tx) => {
      const why = { state: 'failed', errorCode, errorMessage, heldMicroRub: null } as const
      await makeRoom(tx, order.userId, () =>
        this.change(order, { ...why, ...(isEnd && ended()) }, tx),
      )
      if (money === 'estimated') await this.#charge(tx, order, { estimated: true })
      if (money === 'reversal' || money === 'write_off') {
        await takeBackOrderCharge(tx, order.id, money, spend.calendar)
      }
    })
    if (money === 'write_off') alerts.report('order_written_off')
  }

  async end(order: Order, data: Partial<Order> = {}): Promise<void> {
    await this.change(order, { ...data, ...ended() })
  }

  async #find(where: Prisma.OrderWhereInput): Promise<Order | undefined> {
    const { prisma, clock } = this.#app
    const order = await prisma.order.findFirst({ where, include: ORDER_RELATIONS })
    if (order === null) return undefined
    const now = await readTime(prisma)
    const ageOf = (at: Date) => growAge(now.getTime() - at.getTime(), clock)
    const { createdAt, generatingAt } = order
    return { ...order, ageMs: ageOf(createdAt), madeForMs: ageOf(generatingAt ?? now) }
  }

  /** An order without a price is not charged. */
  async #charge(
    tx: Prisma.TransactionClient,
    { id: orderId, priceMicroRub: amountMicroRub }: Order,
    { estimated }: { estimated: boolean },
  ): Promise<void> {
    if (amountMicroRub === null) return
    const { calendar } = this.#app.spend
    await recordOrderCharge(tx, { orderId, amountMicroRub, estimated }, calendar)
  }
}

function ended() {
  return { endedAt: new Date(), leaseOwner: null }
}
