import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Turn } from './turn.ts'

/** So many answers after a summary the next reply tells what it has saved. */
const TOLD_AFTER_ANSWERS = 5

/**
 * Has a turn's reply tell what the summary that it reads has saved, if it is this one's to tell.
 *
 * It is counted by what the service counted: the history that the summary's own request sent, less the summary,
 * would have been sent with each answer since then, at that answer's price; what the summary cost is taken off.
 * Safe to repeat.
 */
export async function noteSaving(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  { id, conversationId }: Pick<Turn, 'id' | 'conversationId'>,
  summaryId: bigint,
): Promise<void> {
  await prisma.$executeRaw`
    WITH paid AS (
      SELECT charge.* FROM bot.charge
      WHERE turn_id IN (SELECT id FROM bot.turn WHERE conversation_id = ${conversationId} AND id >= ${summaryId})
        AND reversal_of IS NULL
        AND NOT EXISTS (SELECT FROM bot.charge AS taken WHERE taken.reversal_of = charge.id)
    ), summary AS (
      SELECT history_tokens - completion_tokens AS tokens, amount_micro_rub
      FROM paid WHERE turn_id = ${summaryId} AND history_tokens IS NOT NULL
    ), saved AS (
      SELECT count(*) AS answers,
        round(sum(summary.tokens::numeric * paid.prompt_price_micro_rub / 1000000)
          - max(summary.amount_micro_rub)) AS micro_rub
      FROM paid JOIN bot.turn ON turn.id = paid.turn_id, summary
      WHERE turn.kind = 'answer' AND turn.state = 'finished'
    )
    UPDATE bot.turn SET saved_micro_rub = saved.micro_rub FROM saved
    WHERE turn.id = ${id} AND saved.answers = ${TOLD_AFTER_ANSWERS} AND saved.micro_rub > 0`
}
