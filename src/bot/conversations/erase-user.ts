import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { lockUser } from '../people/users.ts'
import type { Calendar } from '../spend/calendar.ts'
import { chargeTurn, hiddenCost, lockCharged } from '../spend/charges.ts'
import { eraseUpdates } from '../telegram/update-store.ts'
import { type Actor, isOpen, OPEN_STATES } from './turn.ts'

/** Time for stopped turns to end, so that their exact cost is known. */
const WAIT_MS_MAX = 30_000
const CHECK_EVERY_MS = 200

type Tx = Prisma.TransactionClient
type StopsTurns = { stop(turn: { chatId: number; turnId: bigint }, actor: Actor): Promise<unknown> }

export interface EraseUserDeps {
  prisma: PrismaClient
  replies: StopsTurns
  calendar: Calendar
  clock: Clock
}

/** Nothing is erased while an order is not delivered, or while the cost of a stopped answer is yet to come. */
export type EraseOutcome = 'erased' | 'order_under_way' | 'answer_unpaid'

/**
 * Erases the data of a user: docs/bot.md#deletion. Safe to repeat.
 *
 * The user's turns are stopped first. A turn that does not end in time is erased, and its request is written off. A
 * stopped answer whose cost is not known in time is not: otherwise a stop and an erasure would make any answer free.
 */
export function createEraseUser({ prisma, replies, calendar, clock }: EraseUserDeps) {
  return async function eraseUser(userId: number): Promise<EraseOutcome> {
    if (await hasOrder(prisma, userId)) return 'order_under_way'
    const deadline = clock.now() + WAIT_MS_MAX
    while ((await stopTurnsOf(userId, { prisma, replies })) && clock.now() < deadline) {
      await clock.sleep(CHECK_EVERY_MS)
    }
    return prisma.$transaction(async (tx) => {
      // No order is created meanwhile.
      await lockUser(tx, userId)
      if (await hasOrder(tx, userId)) return 'order_under_way'
      const summaries = await findSummariesOf(tx, userId)
      await lockCharged(tx, userId, { summaries })
      const unpaid = { userId, state: 'stopped', heldMicroRub: { not: null } } as const
      if ((await tx.turn.count({ where: unpaid })) > 0) return 'answer_unpaid'
      const asked = { state: { in: [...OPEN_STATES] }, requestMicroRub: { not: null } }
      const lost = await tx.turn.findMany({ where: { userId, ...asked }, orderBy: { id: 'asc' } })
      for (const turn of lost) {
        await chargeTurn(tx, turn, hiddenCost(turn.requestMicroRub ?? 0n), calendar)
      }
      await eraseSummaries(tx, summaries)
      await eraseRows(tx, userId)
      return 'erased'
    })
  }
}

export type EraseUser = ReturnType<typeof createEraseUser>

async function hasOrder(tx: Pick<Tx, 'order'>, userId: number): Promise<boolean> {
  const where = { userId, endedAt: null, parkedAt: null, state: { not: 'draft' } } as const
  return (await tx.order.count({ where })) > 0
}

/** Returns whether a turn is running, also if only its cost is yet to come. */
async function stopTurnsOf(
  userId: number,
  { prisma, replies }: { prisma: Pick<PrismaClient, 'turn'>; replies: StopsTurns },
): Promise<boolean> {
  const running = await prisma.turn.findMany({
    where: { userId, OR: [{ endedAt: null }, { state: 'stopped', leaseOwner: { not: null } }] },
    // Waiting turns end first, so that none begins meanwhile.
    orderBy: { id: 'desc' },
    select: { id: true, chatId: true, state: true },
  })
  for (const { id: turnId, chatId } of running.filter(isOpen)) {
    await replies.stop({ chatId: Number(chatId), turnId }, { userId, isAdmin: false })
  }
  return running.length > 0
}

/** Ends a blocked user's turns and unsent orders. A running video is paid for, and arrives. Safe to repeat. */
export async function endWaiting(
  userId: number,
  {
    prisma,
    replies,
    orders,
  }: {
    prisma: Pick<PrismaClient, 'turn' | 'order'>
    replies: StopsTurns
    orders: {
      cancel(request: { orderId: bigint; chatId: number; actor: Actor }): Promise<unknown>
    }
  },
): Promise<void> {
  await stopTurnsOf(userId, { prisma, replies })
  const unsent = await prisma.order.findMany({
    where: { userId, endedAt: null, state: { in: ['waiting', 'placed'] } },
    select: { id: true, chatId: true },
  })
  const actor = { userId, isAdmin: false }
  for (const { id: orderId, chatId } of unsent) {
    await orders.cancel({ orderId, chatId: Number(chatId), actor })
  }
}

/** Includes summaries by other users that may repeat the user's messages. */
async function findSummariesOf(tx: Tx, userId: number): Promise<bigint[]> {
  const summaries = await tx.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM bot.turn AS summary
    WHERE kind = 'summary' AND conversation_id IN (
      SELECT conversation_id FROM bot.turn WHERE user_id = ${userId} AND turn.id <= summary.id
    )`
  return summaries.map(({ id }) => id)
}

/** The model reads the turns behind these summaries again. */
async function eraseSummaries(tx: Tx, ids: bigint[]): Promise<void> {
  if (ids.length === 0) return
  await tx.message.deleteMany({ where: { turnId: { in: ids } } })
  await tx.turn.updateMany({ where: { id: { in: ids } }, data: { shownText: '' } })
  const readAgain = { setAsideAt: null, summaryId: null }
  await tx.turn.updateMany({ where: { summaryId: { in: ids } }, data: readAgain })
}

/** Charges stay, without their turns and orders. */
async function eraseRows(tx: Tx, userId: number): Promise<void> {
  // A private chat has its user's id; with a conversation go its messages and turns.
  await tx.conversation.deleteMany({ where: { chatId: userId } })
  await tx.message.deleteMany({ where: { OR: [{ turn: { userId } }, { authorId: userId }] } })
  await tx.turn.deleteMany({ where: { userId } })
  await tx.order.deleteMany({ where: { userId } })
  await tx.picture.deleteMany({ where: { userId } })
  await tx.chat.deleteMany({ where: { id: userId } })
  await tx.request.deleteMany({ where: { userId, kind: 'limit' } })
  const nobody = { firstName: '', username: null, languageCode: null, language: null }
  const unset = { defaultModel: null, costNote: null, mediaSettings: {}, seenAt: null }
  // The decisions of admins stay: an admitted user does not have to ask again.
  await tx.user.updateMany({ where: { id: userId }, data: { ...nobody, ...unset } })
  await eraseUpdates(tx, userId)
}
