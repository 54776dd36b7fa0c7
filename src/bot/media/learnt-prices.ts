import type { PrismaClient } from '../../platform/database/generated/client.ts'

/** What orders have cost by their labels, shared by all processes. */
export function createLearntPrices(prisma: Pick<PrismaClient, 'learntPrice'>) {
  return { read, learn }

  async function read(): Promise<ReadonlyMap<string, bigint>> {
    const rows = await prisma.learntPrice.findMany()
    return new Map(rows.map(({ label, priceMicroRub }) => [label, priceMicroRub]))
  }

  /** @param priceMicroRub > 0. What was learnt before of the label no longer counts. */
  async function learn(label: string, priceMicroRub: bigint): Promise<void> {
    const where = { label }
    const update = { priceMicroRub }
    await prisma.learntPrice.upsert({ where, create: { label, priceMicroRub }, update })
  }
}

export type LearntPrices = ReturnType<typeof createLearntPrices>
