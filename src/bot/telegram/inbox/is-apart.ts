import type { PrismaClient } from '../../../database/generated/client.ts'
import type { ChatThread } from '../../addressing/chat-thread.ts'
import { toConversationKey } from './update-facts.ts'

/** So many of the prompts before it may still be answered below a message. */
const PROMPTS_MAX = 10

/**
 * Whether another message stands below the one that a turn answers, so that an answer sent now would not be
 * next to its question: one that came since, a command among them, or a later message of another answer.
 */
export async function isApart(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { chatId, threadId, promptMessageId }: ChatThread & { promptMessageId: number },
): Promise<boolean> {
  const key = toConversationKey({ chatId, threadId })
  const [row] = await prisma.$queryRaw<{ isApart: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM bot.update AS own JOIN bot.update AS other
        ON other.conversation_key = own.conversation_key AND other.received_at >= own.received_at
          AND (other.sent_at, other.id) > (own.sent_at, own.id)
          AND other.part_of IS DISTINCT FROM own.id
          AND (other.payload IS NULL OR other.payload ? 'message')
      WHERE own.conversation_key = ${key} AND own.released_at IS NULL
        AND own.payload -> 'message' ->> 'message_id' = ${String(promptMessageId)}
    ) OR EXISTS (
      SELECT FROM (
        SELECT message_ids FROM bot.turn
        WHERE chat_id = ${chatId} AND thread_id = ${threadId}
          AND prompt_message_id < ${promptMessageId}
        ORDER BY prompt_message_id DESC LIMIT ${PROMPTS_MAX}
      ) AS before
      WHERE ${promptMessageId} < ANY (message_ids)
    ) AS "isApart"`
  return row?.isApart ?? false
}
