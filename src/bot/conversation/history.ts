import type { Pool } from 'pg'
import type { ChatMessage } from '../../contract/chat.ts'

/** What the model reads. */
export type ModelMessage = ChatMessage

/** One message of a conversation and the turn that it belongs to. */
export interface HistoryEntry {
  turnId: bigint | null
  message: ModelMessage
}

export interface HistoryOptions {
  conversationId: bigint
  /** The turn that is to be answered; where it is missing, the one that comes next. */
  turnId?: bigint
}

/** Above every id that a turn can have: PostgreSQL's largest. */
const NEXT_TURN_ID = 2n ** 63n - 1n

/** In SQL: the user got an answer to the turn, be it in part. */
export const WAS_ANSWERED = `
  turn.state IN ('finished', 'stopped', 'interrupted') AND EXISTS (
    SELECT FROM bot.message answer
    WHERE answer.turn_id = turn.id AND answer.role = 'assistant' AND answer.content <> ''
  )`

const HISTORY = `
  SELECT message.turn_id AS "turnId", message.role, message.content
  FROM bot.message LEFT JOIN bot.turn ON turn.id = message.turn_id
  WHERE message.conversation_id = $1 AND message.content <> ''
    AND (
      message.turn_id IS NULL
      OR turn.id = $2 AND message.role = 'user'
      OR turn.id < $2 AND turn.set_aside_at IS NULL AND ${WAS_ANSWERED}
    )
  ORDER BY message.turn_id NULLS FIRST, message.id`

/**
 * The messages of a conversation up to the turn's own, in order; its instruction stands first.
 *
 * A turn counts once it was answered, be it in part. Those that failed, were stopped before anything
 * came, wait for their user's decision or were set aside are left out.
 */
export async function readHistory(
  pool: Pool,
  { conversationId, turnId = NEXT_TURN_ID }: HistoryOptions,
): Promise<HistoryEntry[]> {
  const { rows } = await pool.query<ModelMessage & { turnId: string | null }>({
    name: 'conversation_history',
    text: HISTORY,
    values: [conversationId, turnId],
  })
  return rows.map(({ turnId, role, content }) => ({
    turnId: turnId === null ? null : BigInt(turnId),
    message: { role, content },
  }))
}
