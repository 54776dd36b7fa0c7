import type { Prisma } from '../../../platform/database/generated/client.ts'

/** Finds the summaries that may repeat a user's messages, whichever user had them made. */
export async function findSummariesOf(
  tx: Pick<Prisma.TransactionClient, '$queryRaw'>,
  userId: number,
): Promise<bigint[]> {
  const summaries = await tx.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM bot.turn AS summary
    WHERE kind = 'summary' AND conversation_id IN (
      SELECT conversation_id FROM bot.turn WHERE user_id = ${userId} AND turn.id <= summary.id
    )`
  return summaries.map(({ id }) => id)
}

/**
 * Erases the texts of summaries; the model reads the turns that they stood for again. In the transaction that erases a
 * user, which has locked all of these turns, before the user's own go.
 */
export async function forgetSummaries(
  tx: Pick<Prisma.TransactionClient, 'turn' | 'message'>,
  ids: bigint[],
): Promise<void> {
  if (ids.length === 0) return
  await tx.message.deleteMany({ where: { turnId: { in: ids } } })
  await tx.turn.updateMany({ where: { id: { in: ids } }, data: { shownText: '' } })
  const readAgain = { setAsideAt: null, summaryId: null }
  await tx.turn.updateMany({ where: { summaryId: { in: ids } }, data: readAgain })
}
