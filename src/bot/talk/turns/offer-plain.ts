import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Turn } from './turn.ts'

/**
 * Has the answer of a turn offered as plain text, unless an earlier one of its chat was.
 *
 * Invariant: of the answers of a chat one is offered so, the first. Safe to repeat.
 *
 * @returns Whether it is that one, now or before.
 */
export async function offerPlain(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  { id, chatId, offersPlain }: Pick<Turn, 'id' | 'chatId' | 'offersPlain'>,
): Promise<boolean> {
  if (offersPlain) return true
  const count = await prisma.$executeRaw`
    WITH first AS (
      INSERT INTO bot.chat (id, has_offered_plain) VALUES (${chatId}, true)
      ON CONFLICT (id) DO UPDATE SET has_offered_plain = true WHERE NOT chat.has_offered_plain
      RETURNING id
    )
    UPDATE bot.turn SET offers_plain = true FROM first WHERE turn.id = ${id}`
  return count === 1
}
