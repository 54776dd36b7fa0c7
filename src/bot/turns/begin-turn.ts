import type { Pool } from 'pg'
import type { HeldReason } from '../../database/generated/enums.ts'
import type { Prompt } from '../addressing/to-prompt.ts'
import type { Turn } from './turns.ts'

export interface NewTurn {
  prompt: Prompt
  conversationId: bigint
  model: string
  /** Why its user is to be asked first. */
  heldReason?: HeldReason | undefined
}

/**
 * A turn, its user's message and its user's row: all of them or none, and a message has one first
 * turn. A known user's language is not touched: the one at hand may be what they chose.
 */
const BEGIN = `
  WITH asker AS (
    INSERT INTO bot."user" (id, first_name, username, language_code) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET first_name = excluded.first_name, username = excluded.username
      WHERE ("user".first_name, "user".username)
        IS DISTINCT FROM (excluded.first_name, excluded.username)
  ), begun AS (
    INSERT INTO bot.turn (conversation_id, user_id, chat_id, thread_id, prompt_message_id, sent_at,
      model, state, held_reason)
    SELECT id, $1, $6, $7, $8, $9, $10,
      CASE WHEN $11::bot.held_reason IS NULL THEN 'streaming' ELSE 'held' END::bot.turn_state, $11
    FROM bot.conversation WHERE id = $5 FOR KEY SHARE
    ON CONFLICT DO NOTHING RETURNING id, conversation_id, created_at
  ), message AS (
    INSERT INTO bot.message (conversation_id, turn_id, role, content)
    SELECT conversation_id, id, 'user', $12 FROM begun
  )
  SELECT begun.id, begun.created_at AS "createdAt", coalesce("user".uses_drafts, false) AS "usesDrafts"
  FROM begun LEFT JOIN bot."user" ON "user".id = $1`

/**
 * Begins the turn of a message, the user's message included, in one statement.
 *
 * @returns Undefined if the message has a turn, or the conversation is gone.
 */
export async function beginTurn(
  pool: Pool,
  { prompt, conversationId, model, heldReason }: NewTurn,
): Promise<Turn | undefined> {
  const { chatId, threadId, messageId: promptMessageId, text, sentAt, user } = prompt
  const { firstName, username = null, languageCode } = user
  const { rows } = await pool.query<{ id: string; createdAt: Date; usesDrafts: boolean }>({
    name: 'turn_begin',
    text: BEGIN,
    values: [
      ...[user.id, firstName, username, languageCode ?? null],
      ...[conversationId, chatId, threadId, promptMessageId, sentAt, model],
      ...[heldReason ?? null, text],
    ],
  })
  const [begun] = rows
  if (begun === undefined) return undefined
  return {
    id: BigInt(begun.id),
    conversationId,
    userId: BigInt(user.id),
    chatId,
    threadId,
    promptMessageId,
    attempt: 1,
    sentAt,
    createdAt: begun.createdAt,
    languageCode,
    usesDrafts: begun.usesDrafts,
    model,
    state: heldReason === undefined ? 'streaming' : 'held',
    heldReason: heldReason ?? null,
    stopRequestedAt: null,
    sendingSince: null,
    setAsideAt: null,
    contextPercent: null,
    nextCostMicroRub: null,
    errorCode: null,
    messageIds: [],
    shownText: '',
    endedAt: null,
  }
}
