import type { PrismaClient } from '../../../platform/database/generated/client.ts'

/** The cost of one answer and its parts: as it was charged, never recomputed. */
export type Receipt = NonNullable<Awaited<ReturnType<typeof readReceipt>>>

/** @returns Undefined where nobody pays for the turn, not yet or not any more, or it was not asked in the chat. */
export async function readReceipt(
  prisma: Pick<PrismaClient, 'charge'>,
  { turnId, chatId }: { turnId: bigint; chatId: number },
) {
  const charge = await prisma.charge.findFirst({
    where: { turnId, chatId, reversalOfId: null, reversal: null },
    select: {
      userId: true,
      item: true,
      promptTokens: true,
      historyTokens: true,
      completionTokens: true,
      promptPriceMicroRub: true,
      completionPriceMicroRub: true,
      amountMicroRub: true,
      estimated: true,
      requestId: true,
      createdAt: true,
      // Recorded as the request went out, by the rule by which the service holds.
      turn: { select: { requestMicroRub: true } },
    },
  })
  if (charge === null) return undefined
  const { turn, ...charged } = charge
  return { ...charged, heldMicroRub: turn?.requestMicroRub ?? null }
}
