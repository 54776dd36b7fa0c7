import type { ChatMessage } from '../../../contract/chat.ts'
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { readCurrentConversation } from './conversations.ts'
import { toSummaryMessage } from './summary-messages.ts'

/** What the model reads. */
export type ModelMessage = ChatMessage

/** One message of a conversation and the turn that it belongs to. */
export interface HistoryEntry {
  turnId: bigint | null
  message: ModelMessage
  /** Whether it stands for the turns before it. */
  isSummary: boolean
}

export interface HistoryOptions {
  conversationId: bigint
  /** The turn that is to be answered; where it is missing, the one that comes next. */
  turn?: { id: bigint; promptMessageId: number }
}

/** Turns to which the user got an answer, be it in part. */
export const ANSWERED = {
  state: { in: ['finished', 'stopped', 'interrupted'] },
  messages: { some: { role: { not: 'user' }, content: { not: '' } } },
} satisfies Prisma.TurnWhereInput

/**
 * The messages of a conversation up to the turn's own, in order; its instruction stands first, and a summary of
 * what was said before after it.
 *
 * A turn counts once it was answered, be it in part. Those that failed, were stopped before anything
 * came, wait for their user's decision or were set aside are left out, and so are other answers to the
 * turn's own message.
 */
export async function readHistory(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { conversationId, turn }: HistoryOptions,
): Promise<HistoryEntry[]> {
  // Each table is narrowed down to the conversation, or PostgreSQL reads all turns there are.
  const messages = await prisma.$queryRaw<MessageRow[]>`
    WITH said AS MATERIALIZED (
      SELECT id, turn_id, role, content FROM bot.message
      WHERE conversation_id = ${conversationId} AND content <> ''
    ), read AS (
      SELECT id FROM bot.turn
      WHERE conversation_id = ${conversationId} AND set_aside_at IS NULL
        AND state IN ('finished', 'stopped', 'interrupted')
        AND id IN (SELECT turn_id FROM said WHERE role <> 'user')
        -- One made meanwhile stands for what was before the turn, too.
        AND (kind = 'summary' OR ${isBefore(turn)})
    )
    SELECT turn_id AS "turnId", role::text, content FROM said
    WHERE turn_id IS NULL OR turn_id IN (SELECT id FROM read)
      OR turn_id = ${turn?.id ?? null}::bigint AND role = 'user'
    ORDER BY turn_id NULLS FIRST, id`
  const entries = messages.map(({ turnId, role, content }) => {
    const isSummary = turnId !== null && role === 'system'
    return { turnId, isSummary, message: isSummary ? toSummaryMessage(content) : { role, content } }
  })
  return entries.toSorted((one, other) => rankOf(one) - rankOf(other))
}

interface MessageRow extends ModelMessage {
  turnId: bigint | null
}

/** SQL that is true of turns that a turn has before it, as the one that comes next has all. */
function isBefore(turn: HistoryOptions['turn']): Prisma.Sql {
  return turn === undefined
    ? Prisma.sql`true`
    : Prisma.sql`id < ${turn.id} AND prompt_message_id <> ${turn.promptMessageId}`
}

/** Entries of one rank stay in their order. */
function rankOf({ turnId, isSummary }: HistoryEntry): number {
  if (turnId === null) return 0
  return isSummary ? 1 : 2
}

/** Whether the next message of a thread is read with the text of a file before it. */
export async function isFileInHistory(
  prisma: Pick<PrismaClient, 'conversation' | 'turn'>,
  thread: ChatThread,
  fileUniqueId: string,
): Promise<boolean> {
  const current = await readCurrentConversation(prisma, thread)
  if (current === null) return false
  const isRead = { fileIds: { has: fileUniqueId }, setAsideAt: null, ...ANSWERED }
  return (await prisma.turn.count({ where: { conversationId: current.id, ...isRead } })) > 0
}
