import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { Turn } from './turn.ts'

/** So many of the prompts before it may yet be answered below a message. */
const PROMPTS_MAX = 10

type SendingTurn = Pick<Turn, 'id' | 'chatId' | 'threadId' | 'promptMessageId' | 'createdAt'>

/**
 * Records that a message of a reply is about to be sent: if the process dies now, the chat may have it.
 *
 * The message waits for this. So the statement also returns what decides how it is sent.
 *
 * @returns Whether the message would be separated from its question; undefined if another process answers the turn.
 */
export async function recordSending(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turn: SendingTurn,
  leaseOwner: number,
): Promise<boolean | undefined> {
  const [recorded] = await prisma.$queryRaw<{ isSeparated: boolean }[]>`
    UPDATE bot.turn SET sending_since = now() WHERE id = ${turn.id} AND lease_owner = ${leaseOwner}
    RETURNING ${isSeparatedSql(turn)} AS "isSeparated"`
  return recorded?.isSeparated
}

/**
 * SQL that is true where another message stands below the one that a turn answers, so that an answer sent now would
 * not be next to its question: one that came since, a command among them, or a later message of another answer.
 */
function isSeparatedSql({ id, chatId, threadId, promptMessageId, createdAt }: SendingTurn) {
  return Prisma.sql`(
    EXISTS (
      SELECT FROM bot.turn AS later
      WHERE later.chat_id = ${chatId} AND later.thread_id = ${threadId} AND later.id > ${id}
        AND later.prompt_message_id > ${promptMessageId}
    ) OR EXISTS (
      SELECT FROM bot.update
      WHERE conversation_key = ${`${chatId} ${threadId}`} AND received_at > ${createdAt}::timestamptz
        AND (payload IS NULL OR payload ? 'message')
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
