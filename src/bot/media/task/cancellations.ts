import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Notifications } from '../../../platform/database/notifications.ts'
import { CANCEL_CHANNEL } from './cancel-order.ts'

export interface CancellationsDeps {
  prisma: Pick<PrismaClient, 'order'>
  notifications: Pick<Notifications, 'listen'>
}

/** Tells the visits of this process that their orders were cancelled, in whichever process. */
export function createCancellations({ prisma, notifications }: CancellationsDeps) {
  const watched = new Map<bigint, () => void>()
  notifications.listen(CANCEL_CHANNEL, {
    onNotification: (id) => watched.get(BigInt(id))?.(),
    onGap: () => void look([...watched.keys()]),
  })
  return { watch }

  /**
   * Has `onCancel` called when the order is cancelled, also where it was so before.
   *
   * @returns What ends this.
   */
  function watch(orderId: bigint, onCancel: () => void): () => void {
    watched.set(orderId, onCancel)
    void look([orderId])
    return () => void watched.delete(orderId)
  }

  async function look(ids: bigint[]): Promise<void> {
    if (ids.length === 0) return
    const where = { id: { in: ids }, state: 'cancelled' } as const
    // The next connection looks again, and what was cancelled is not submitted.
    const missed = await prisma.order.findMany({ where, select: { id: true } }).catch(() => [])
    for (const { id } of missed) watched.get(id)?.()
  }
}

export type Cancellations = ReturnType<typeof createCancellations>
