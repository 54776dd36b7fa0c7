import type { PrismaClient } from '../../../platform/database/generated/client.ts'

interface Actor {
  userId: number
  isAdmin: boolean
}

type StopTurn = (turn: { chatId: number; turnId: bigint }, actor: Actor) => Promise<unknown>

/**
 * Stops the turns of a user, those that wait and those that are being written.
 *
 * @returns Whether a turn of the user's is running, be it only a stopped stream that runs dry.
 */
export async function stopTurnsOf(
  userId: number,
  { prisma, stopTurn }: { prisma: Pick<PrismaClient, 'turn'>; stopTurn: StopTurn },
): Promise<boolean> {
  const running = await prisma.turn.findMany({
    where: { userId, endedAt: null },
    // Those that wait go first, so that none begins meanwhile.
    orderBy: { id: 'desc' },
    select: { id: true, chatId: true, state: true },
  })
  for (const { id: turnId, chatId, state } of running) {
    if (state !== 'streaming' && state !== 'waiting') continue
    await stopTurn({ chatId: Number(chatId), turnId }, { userId, isAdmin: false })
  }
  return running.length > 0
}

/**
 * Ends the turns of a user who was blocked, and the orders that did not go to the service yet. A clip that is being
 * made is paid for, and arrives. Safe to repeat.
 */
export function createEndWaiting({
  prisma,
  stopTurn,
  cancelOrder,
}: {
  prisma: Pick<PrismaClient, 'turn' | 'order'>
  stopTurn: StopTurn
  cancelOrder: (request: { orderId: bigint; chatId: number; actor: Actor }) => Promise<unknown>
}) {
  return async function endWaiting(userId: number): Promise<void> {
    await stopTurnsOf(userId, { prisma, stopTurn })
    const unsent = await prisma.order.findMany({
      where: { userId, endedAt: null, state: { in: ['waiting', 'placed'] } },
      select: { id: true, chatId: true },
    })
    for (const { id: orderId, chatId } of unsent) {
      const actor = { userId, isAdmin: false }
      await cancelOrder({ orderId, chatId: Number(chatId), actor })
    }
  }
}
