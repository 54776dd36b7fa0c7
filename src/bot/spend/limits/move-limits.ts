import type { Prisma } from '../../../platform/database/generated/client.ts'

/**
 * Moves the limits of a group to the supergroup that it became; where that has one of its own, it stays. What
 * was told of them and asked for stands in the old chat and goes. Safe to repeat.
 */
export async function moveLimits(
  tx: Prisma.TransactionClient,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by, set_at)
    SELECT ${to}, period, amount_micro_rub, set_by, set_at FROM bot.spend_limit
    WHERE subject_id = ${from}
    ON CONFLICT DO NOTHING`
  await tx.spendLimit.deleteMany({ where: { subjectId: from } })
  await tx.limitWarning.deleteMany({ where: { subjectId: from } })
  await tx.limitRequest.deleteMany({ where: { OR: [{ subjectId: from }, { chatId: from }] } })
}
