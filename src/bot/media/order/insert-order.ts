import type { MediaRequest } from '../../../contract/tasks.ts'
import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import { storeUser } from '../../people/users.ts'
import type { Limits } from '../../spend/limits.ts'
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
  limits: Pick<Limits, 'reserve'>
}

/**
 * Stores an order, due at once, and its user, unless what asked for it has one. Its price is reserved by the same
 * transaction.
 *
 * @throws {LimitReachedError} If a limit leaves no room for it. Nothing is stored.
 */
export async function insertOrder(
  { prisma, rules, limits }: InsertOrderDeps,
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
    const { id: userId } = user
    const { chatId, priceMicroRub } = order
    const draft = { id: orderId, userId: BigInt(userId), chatId: BigInt(chatId), priceMicroRub }
    if (count === 1) await placeOrder(tx, draft, { parallelMax, limits })
    return { orderId, isNew: count === 1 }
  })
}

/** A draft that is being ordered. */
export type PlacedDraft = Pick<Order, 'id' | 'userId' | 'chatId' | 'priceMicroRub'>

/**
 * Orders a draft, whose row has everything that an order needs: holds its price, and has it wait while its user has
 * too many others.
 *
 * @throws {LimitReachedError} If a limit leaves no room for it. The transaction is to be rolled back.
 */
export async function placeOrder(
  tx: Prisma.TransactionClient,
  { id, userId, chatId, priceMicroRub }: PlacedDraft,
  { parallelMax, limits }: { parallelMax: number; limits: Pick<Limits, 'reserve'> },
): Promise<void> {
  const state = (await mayRun(tx, { userId }, parallelMax)) ? 'placed' : 'waiting'
  const amountMicroRub = priceMicroRub ?? 0n
  await limits.reserve(tx, { userId, chatId, amountMicroRub, except: { orderId: id } })
  await tx.$executeRaw`
    UPDATE bot."order" SET state = ${state}::bot.order_state, held_micro_rub = ${priceMicroRub},
      draft = NULL, created_at = now(), due_at = now()
    WHERE id = ${id}`
  await tx.$executeRaw`SELECT pg_notify(${ORDER_TABLE.name}, '')`
}
