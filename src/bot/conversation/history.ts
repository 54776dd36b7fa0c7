import type { ChatMessage } from '../../contract/chat.ts'
import type { PrismaClient } from '../../database/generated/client.ts'

/** What the model reads. */
export type ModelMessage = ChatMessage

export interface HistoryOptions {
  conversationId: bigint
  /** The turn that is to be answered. */
  turnId: bigint
  systemPrompt?: string | undefined
}

/**
 * The messages of a conversation up to the turn's own, in order, after the system prompt.
 *
 * A turn counts once it was answered, be it in part: the messages of one that failed, or that was
 * stopped before anything came, are left out.
 */
export async function readHistory(
  prisma: PrismaClient,
  { conversationId, turnId, systemPrompt }: HistoryOptions,
): Promise<ModelMessage[]> {
  const messages = await prisma.$queryRaw<ModelMessage[]>`
    SELECT role::text, content FROM bot.message
    WHERE conversation_id = ${conversationId} AND content <> ''
      AND (turn_id IS NULL OR turn_id = ${turnId} AND role = 'user' OR turn_id < ${turnId} AND turn_id IN (
        SELECT answer.turn_id FROM bot.message answer JOIN bot.turn ON turn.id = answer.turn_id
        WHERE answer.conversation_id = ${conversationId} AND answer.role = 'assistant'
          AND turn.state <> 'failed' AND answer.content <> ''
      ))
    ORDER BY turn_id NULLS FIRST, id`
  return systemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages
}
