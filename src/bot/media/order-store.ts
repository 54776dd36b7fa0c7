import type { VideoRequest } from '../../contract/video.ts'
import { Prisma, type PrismaClient } from '../../database/generated/client.ts'
import { isEndedSql, isFreeSql } from '../../database/lease.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import type { Sender } from '../addressing/sender.ts'
import { recordOrderCharge, reverseOrderCharge } from '../spend/order-charges.ts'
import { noteUser } from '../users.ts'
import type { Failure } from './failure.ts'

const WITH_LANGUAGE = { user: { select: { language: true, languageCode: true } } } as const

/** An order with its user's language. */
export type Order = Prisma.OrderGetPayload<{ include: typeof WITH_LANGUAGE }>
export type OrderState = Order['state']

export interface NewOrder extends ChatThread {
  user: Sender
  commandMessageId: number
  request: VideoRequest
  label: string
  priceMicroRub: bigint
}

/** The order went to another process: this one was taken for dead. It must not touch it again. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'lease_lost'

  constructor(orderId: bigint) {
    super(`Cannot change order ${orderId}: the lease is lost`)
  }
}

/**
 * The orders in the database.
 *
 * An order is worked on by the holder of its lease alone: a process whose id stands on the row and
 * which lives. Every change names the holder, so that a process which was taken for dead changes
 * nothing any more. Within the process `held` keeps two visits apart.
 */
export function createOrderStore({
  prisma,
  instanceId,
}: {
  prisma: PrismaClient
  instanceId: number
}) {
  const held = new Set<bigint>()
  /** Statements that lease rows unknown before: until they answer, `held` may lack some. */
  let leasing: Promise<unknown> = Promise.resolve()
  /** Nobody's, a dead process's, or ours with nobody at work on it. */
  const isFree = Prisma.raw(`(lease_owner = ${instanceId} OR ${isFreeSql('lease_owner')})`)
  return {
    insert,
    read,
    lease,
    leaseNextPlaced,
    release,
    placedBefore,
    unended,
    backToPlaced,
    setStatusMessage,
    setClipMessage,
    setGenerating,
    setReady,
    fail,
    end,
  }

  /** Stores an order and its user unless the command has one, and leases the new one. */
  function insert({ user, request, ...order }: NewOrder): Promise<Order | undefined> {
    const data = { ...order, userId: user.id, params: { ...request }, leaseOwner: instanceId }
    return oneByOne(async () => {
      const [row] = await prisma.$transaction(async (tx) => {
        await noteUser(tx, user)
        return tx.order.createManyAndReturn({
          data: [data],
          skipDuplicates: true,
          include: WITH_LANGUAGE,
        })
      })
      if (row) held.add(row.id)
      return row
    })
  }

  async function read(id: bigint): Promise<Order | undefined> {
    return (await prisma.order.findUnique({ where: { id }, include: WITH_LANGUAGE })) ?? undefined
  }

  /** Takes the right to work on an order in one of these states; end it with `release()`. */
  async function lease(id: bigint, states: readonly OrderState[]): Promise<Order | undefined> {
    await leasing
    if (held.has(id)) return undefined
    held.add(id)
    try {
      const count = await prisma.$executeRaw`
        UPDATE bot."order" SET lease_owner = ${instanceId}
        WHERE id = ${id} AND ended_at IS NULL AND state::text = ANY(${states}) AND ${isFree}`
      const order = count === 1 ? await read(id) : undefined
      if (order === undefined) held.delete(id)
      return order
    } catch (error) {
      held.delete(id)
      throw error
    }
  }

  /**
   * Takes the order that has waited longest and marks it as submitted, in one statement: from here
   * on the service may have it.
   */
  function leaseNextPlaced(): Promise<Order | undefined> {
    return oneByOne(async () => {
      const [taken] = await prisma.$queryRaw<{ id: bigint }[]>`
        UPDATE bot."order" SET state = 'submitted', lease_owner = ${instanceId}
        WHERE id = (
          SELECT id FROM bot."order"
          WHERE state = 'placed' AND id <> ALL(${[...held]}::bigint[]) AND ${isFree}
          ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id`
      if (!taken) return undefined
      held.add(taken.id)
      return read(taken.id)
    })
  }

  /** Gives the lease back, once: a second call could end the lease of the next visit. Harmless where it is lost. */
  async function release(id: bigint): Promise<void> {
    try {
      await prisma.order.updateMany({
        where: { id, leaseOwner: instanceId },
        data: { leaseOwner: null },
      })
    } finally {
      // Not before: the statement would end a lease that the next visit took meanwhile.
      held.delete(id)
    }
  }

  /** How many orders wait in line before this one. */
  function placedBefore(id: bigint): Promise<number> {
    return prisma.order.count({ where: { state: 'placed', id: { lt: id } } })
  }

  /** Orders with something left to do. `orphaned`: only those whose process died at work on them. */
  function unended({ orphaned }: { orphaned: boolean }) {
    const isOrphan = Prisma.raw(isEndedSql('lease_owner'))
    return prisma.$queryRaw<{ id: bigint; state: OrderState }[]>`
      SELECT id, state FROM bot."order"
      WHERE ended_at IS NULL AND ${orphaned ? isOrphan : Prisma.sql`true`}
      ORDER BY id`
  }

  /** The service refused for now: the order stands in line again, at its old place. */
  function backToPlaced(id: bigint): Promise<void> {
    return change(id, 'submitted', { state: 'placed' })
  }

  /** @param messageId 0 where it is not known whether the message was sent. */
  function setStatusMessage(order: Order, messageId: number): Promise<void> {
    return change(order.id, order.state, { statusMessageId: messageId })
  }

  function setClipMessage(order: Order, messageId: number | null): Promise<void> {
    return change(order.id, order.state, { clipMessageId: messageId })
  }

  /** The service took the order: its task and its charge are noted together. */
  async function setGenerating(order: Order, taskId: number): Promise<void> {
    await prisma.$transaction(async (tx) => {
      await change(order.id, 'submitted', { state: 'generating', taskId }, tx)
      await charge(tx, order, { estimated: false })
    })
  }

  function setReady(id: bigint, resultUrl: string): Promise<void> {
    return change(id, 'generating', { state: 'ready', resultUrl })
  }

  /** There will be no clip. What becomes of the charge is decided with it, in one transaction. */
  async function fail(order: Order, failure: Failure): Promise<void> {
    const { code, message = null, money, isEnd } = failure
    const endedAt = isEnd ? new Date() : null
    const data = { state: 'failed', errorCode: code, errorMessage: message, endedAt } as const
    await prisma.$transaction(async (tx) => {
      await change(order.id, order.state, data, tx)
      if (money === 'estimated') await charge(tx, order, { estimated: true })
      if (money === 'reversed') await reverseOrderCharge(tx, order.id)
    })
  }

  /** Nothing is left to do: the user has the clip, or knows why there is none, or cannot be told. */
  function end(order: Order, data: { state?: 'delivered' } = {}): Promise<void> {
    return change(order.id, order.state, { ...data, endedAt: new Date() })
  }

  function oneByOne<T>(statement: () => Promise<T>): Promise<T> {
    const result = leasing.then(statement)
    leasing = result.catch(() => {}) // Its caller has the error.
    return result
  }

  async function change(
    id: bigint,
    state: OrderState,
    data: Prisma.OrderUpdateManyMutationInput,
    tx: Prisma.TransactionClient = prisma,
  ): Promise<void> {
    const { count } = await tx.order.updateMany({
      where: { id, state, leaseOwner: instanceId, endedAt: null },
      data,
    })
    if (count !== 1) throw new LeaseLostError(id)
  }

  async function charge(
    tx: Prisma.TransactionClient,
    { id, userId, priceMicroRub, label }: Order,
    { estimated }: { estimated: boolean },
  ): Promise<void> {
    const amountMicroRub = priceMicroRub ?? 0n
    await recordOrderCharge(tx, { userId, orderId: id, amountMicroRub, estimated, item: label })
  }
}

export type OrderStore = ReturnType<typeof createOrderStore>
