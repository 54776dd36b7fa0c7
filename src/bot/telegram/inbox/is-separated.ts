import { Prisma } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import { toConversationKey } from './update-facts.ts'

/** So many of the prompts before it may yet be answered below a message. */
const PROMPTS_MAX = 10

interface AnsweredTurn extends ChatThread {
  promptMessageId: number
  createdAt: Date
}

/**
 * SQL that is true where another message stands below the one that a turn answers, so that an answer sent now would
 * not be next to its question: one that came since, a command among them, or a later message of another answer.
 *
 * Where the bot wrote the question, for who tapped a button, what came since the turn began counts.
 */
export function isSeparatedSql({
  chatId,
  threadId,
  promptMessageId,
  createdAt,
}: AnsweredTurn): Prisma.Sql {
  const key = toConversationKey({ chatId, threadId })
  return Prisma.sql`(
    WITH own AS (
      SELECT id, sent_at, received_at FROM bot.update
      WHERE conversation_key = ${key} AND released_at IS NULL
        AND payload -> 'message' ->> 'message_id' = ${String(promptMessageId)}
      LIMIT 1
    )
    SELECT EXISTS (
      SELECT FROM bot.update AS other LEFT JOIN own ON true
      WHERE other.conversation_key = ${key}
        AND other.received_at >= coalesce((SELECT received_at FROM own), ${createdAt}::timestamptz)
        AND (own.id IS NULL OR (other.sent_at, other.id) > (own.sent_at, own.id))
        AND other.part_of IS DISTINCT FROM coalesce(own.id, 0)
        AND (other.payload IS NULL OR other.payload ? 'message')
    ) OR EXISTS (
      SELECT FROM (
        SELECT message_ids FROM bot.turn
        WHERE chat_id = ${chatId} AND thread_id = ${threadId}
          AND prompt_message_id < ${promptMessageId}
        ORDER BY prompt_message_id DESC LIMIT ${PROMPTS_MAX}
      ) AS before
      WHERE ${promptMessageId} < ANY (message_ids)
    ))`
}
