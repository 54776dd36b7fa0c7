import type { MediaRequest } from '../../../contract/tasks.ts'
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { storeUser } from '../../people/users.ts'
import { LimitReachedError } from '../../spend/limits/limit-refusal.ts'
import type { ReserveIn } from '../../spend/limits/reserve.ts'
import type { ChatThread, Sender } from '../../telegram/addressing.ts'
import { hashOfPictureUrl } from '../picture/picture-token.ts'
import type { Order } from './order-store.ts'
import { ORDER_TABLE } from './order-table.ts'
import { mayRun } from './parallel-orders.ts'
import type { MediaRules } from './rules.ts'

export interface NewOrder extends ChatThread {
  user: Sender
  /** The key of what asked for it: of orders with one key there is one, the first (`telegram/origin-key.ts`). */
  originKey: string
  /** The button that asked for it: of orders with one key at most one is under way. */
  buttonKey?: string
  replyToMessageId: number
  statusMessageId?: number | undefined
  media: MediaRequest
  label: string
  /** Null where none is set: the order is not charged. */
  priceMicroRub: bigint | null
}

/** The order of what asked for one. */
export interface CreatedOrder {
  orderId: bigint
  isNew: boolean
}

export interface InsertOrderDeps {
  prisma: Pick<PrismaClient, '$transaction'>
  rules: Pick<MediaRules, 'read'>
  reserveIn: ReserveIn
}

/**
 * Stores an order, due at once, and its user, unless what asked for it has one. Its price is reserved by the same
 * transaction.
 *
 * @throws {LimitReachedError} If a limit leaves no room for it. Nothing is stored.
 */
export async function insertOrder(
  { prisma, rules, reserveIn }: InsertOrderDeps,
  { user, media, ...order }: NewOrder,
): Promise<CreatedOrder> {
  const { kind, request } = media
  const pictureHash = kind === 'video' ? hashOfPictureUrl(request.image_url) : null
  const { originKey, buttonKey, statusMessageId = null } = order
  const params = { ...request }
  const asked = { ...order, statusMessageId, userId: user.id, kind, params, pictureHash }
  const { parallelMax } = await rules.read()
  return prisma.$transaction(async (tx) => {
    await storeUser(tx, user)
    const data = { ...asked, state: 'draft', dueAt: null } as const
    const { count } = await tx.order.createMany({ data, skipDuplicates: true })
    const same = [{ originKey }, ...(buttonKey ? [{ buttonKey, endedAt: null }] : [])]
    const found = { where: { OR: same }, select: { id: true } } as const
    const { id: orderId } = await tx.order.findFirstOrThrow(found)
    const draft = { id: orderId, userId: BigInt(user.id), priceMicroRub: order.priceMicroRub }
    if (count === 1) await placeOrder(tx, draft, { parallelMax, reserveIn })
    return { orderId, isNew: count === 1 }
  })
}

/** A draft that is being ordered. */
export type PlacedDraft = Pick<Order, 'id' | 'userId' | 'priceMicroRub'>

/**
 * Orders a draft, whose row has everything that an order needs: reserves its price, and has it wait while its user has
 * too many others.
 *
 * @throws {LimitReachedError} If a limit leaves no room for it. The transaction is to be rolled back.
 */
export async function placeOrder(
  tx: Prisma.TransactionClient,
  { id, userId, priceMicroRub }: PlacedDraft,
  { parallelMax, reserveIn }: { parallelMax: number; reserveIn: ReserveIn },
): Promise<void> {
  const state = (await mayRun(tx, { userId }, parallelMax)) ? 'placed' : 'waiting'
  await reservePrice(tx, reserveIn, id, priceMicroRub ?? 0n)
  await tx.$executeRaw`
    UPDATE bot."order" SET state = ${state}::bot.order_state, draft = NULL, created_at = now(), due_at = now()
    WHERE id = ${id}`
  await tx.$executeRaw`SELECT pg_notify(${ORDER_TABLE.name}, '')`
}

async function reservePrice(
  tx: Prisma.TransactionClient,
  reserveIn: ReserveIn,
  id: bigint,
  amountMicroRub: bigint,
): Promise<void> {
  const asker = Prisma.sql`SELECT user_id, chat_id FROM bot."order" WHERE id = ${id}`
  const outcome = await reserveIn(tx, { kind: 'order', id, amountMicroRub, asker })
  if (outcome.status === 'refused') throw new LimitReachedError(outcome.refusal)
  await tx.order.update({ where: { id }, data: { heldMicroRub: amountMicroRub } })
}
