import type { Prisma } from '../../../platform/database/generated/client.ts'

/**
 * Erases the summaries that may repeat a user's messages, whichever user had them made; the model reads the remaining
 * turns of theirs again. In the transaction that erases the user, before their turns go.
 */
export async function forgetSummaries(
  tx: Pick<Prisma.TransactionClient, '$queryRaw' | 'turn' | 'message'>,
  userId: number,
): Promise<void> {
  const summaries = await tx.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM bot.turn AS summary
    WHERE kind = 'summary' AND conversation_id IN (
      SELECT conversation_id FROM bot.turn WHERE user_id = ${userId} AND turn.id <= summary.id
    )`
  if (summaries.length === 0) return
  const ids = summaries.map(({ id }) => id)
  // In order, as all do that lock several turns.
  await tx.$queryRaw`
    SELECT id FROM bot.turn WHERE summary_id = ANY(${ids}) OR id = ANY(${ids})
    ORDER BY id FOR NO KEY UPDATE`
  await tx.message.deleteMany({ where: { turnId: { in: ids } } })
  await tx.turn.updateMany({ where: { id: { in: ids } }, data: { shownText: '' } })
  const readAgain = { setAsideAt: null, summaryId: null }
  await tx.turn.updateMany({ where: { summaryId: { in: ids } }, data: readAgain })
}
