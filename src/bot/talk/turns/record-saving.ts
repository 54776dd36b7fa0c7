import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { IS_PAID } from '../../spend/charges/turn-charges.ts'
import type { Turn } from './turn.ts'

/** The number of answers after a summary at which a reply shows how much it has saved. */
const SHOWN_AFTER_ANSWERS = 5

/**
 * Records on a turn how much the summary that it reads has saved, if this turn's reply is the one to show it.
 *
 * The saving is counted by the service's figures: the history that the summary's own request sent, less the summary,
 * would have been sent with each answer since then, at that answer's price; the cost of the summary is taken off.
 * Safe to repeat.
 */
export async function recordSaving(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  { id, conversationId }: Pick<Turn, 'id' | 'conversationId'>,
  summaryId: bigint,
): Promise<void> {
  await prisma.$executeRaw`
    WITH paid AS (
      SELECT paid.* FROM bot.charge AS paid
      WHERE turn_id IN (SELECT id FROM bot.turn WHERE conversation_id = ${conversationId} AND id >= ${summaryId})
        AND ${IS_PAID}
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
    WHERE turn.id = ${id} AND saved.answers = ${SHOWN_AFTER_ANSWERS} AND saved.micro_rub > 0`
}
