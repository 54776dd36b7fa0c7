import type { Message, Update } from 'grammy/types'
import type { Pool } from 'pg'
import { joinUpdates, joinWords, mayBePart, type PromptPart } from './joined-updates.ts'
import type { LeasedUpdate } from './stored-updates.ts'

/** Telegram lets people edit a message for so long. */
const EDITABLE_FOR = '48 hours'

/** An update with all that belongs to it. */
export interface JoinedUpdate extends LeasedUpdate {
  parts: readonly Message[]
}

/**
 * The messages of which prompts of several consist. A user who edits one of them edits the prompt, of
 * which Telegram knows nothing.
 */
export function createStoredParts({ pool }: { pool: Pick<Pool, 'query'> }) {
  return { join, purge }

  /**
   * Joins a leased update with what belongs to it: the messages after it that are parts of its
   * prompt, or, if it is the edit of a part, the other parts. Safe to repeat: what belongs together
   * is settled when it is first leased.
   */
  async function join(leased: LeasedUpdate): Promise<JoinedUpdate> {
    const edited = await joinEdited(leased.update)
    if (edited !== undefined) return { ...leased, ...edited, next: [] }
    const { update, parts } = joinUpdates(leased.update, leased.next)
    const whole = { ...leased, update, parts: parts.map(({ message }) => message) }
    if (!leased.isFirst) return whole
    const next = leased.next.slice(0, Math.max(0, parts.length - 1))
    if (next.length > 0) await add(update.update_id, next, parts)
    return { ...whole, next }
  }

  async function add(
    id: number,
    next: readonly Update[],
    parts: readonly PromptPart[],
  ): Promise<void> {
    const [first] = parts
    await pool.query(ADD, [
      id,
      next.map(({ update_id }) => update_id),
      first?.message.chat.id,
      first?.message.message_id,
      parts.map(({ message }) => message.message_id),
      parts.map(({ separator }) => separator),
      parts.map(({ message }) => JSON.stringify(message)),
    ])
  }

  async function joinEdited(
    update: Update,
  ): Promise<Pick<JoinedUpdate, 'update' | 'parts'> | undefined> {
    const { edited_message: edited } = update
    if (!mayBePart(edited)) return undefined
    const { rows } = await pool.query<PromptPart>(EDIT, [
      edited.chat.id,
      edited.message_id,
      JSON.stringify(edited),
    ])
    const [first] = rows
    if (first === undefined) return undefined
    // Everything but the text is as with the first message: whose prompt it is, what it answers.
    const { edit_date } = edited
    const whole = { ...first.message, ...joinWords(rows), edit_date }
    return {
      update: { ...update, edited_message: whole },
      parts: rows.map(({ message }) => message),
    }
  }

  async function purge(): Promise<void> {
    await pool.query('DELETE FROM bot.prompt_part WHERE joined_at < now() - $1::interval', [
      EDITABLE_FOR,
    ])
  }
}

export type StoredParts = ReturnType<typeof createStoredParts>

const ADD = `
  WITH joined AS (
    UPDATE bot.update SET part_of = $1 WHERE id = ANY ($2::bigint[])
  )
  INSERT INTO bot.prompt_part (chat_id, first_id, message_id, separator, message)
  SELECT $3, $4, message_id, separator, message
  FROM unnest($5::int[], $6::text[], $7::jsonb[]) AS part (message_id, separator, message)
  ON CONFLICT DO NOTHING`

const EDIT = `
  WITH edited AS (
    UPDATE bot.prompt_part SET message = $3 WHERE chat_id = $1 AND message_id = $2
    RETURNING first_id
  )
  SELECT separator, CASE message_id WHEN $2 THEN $3::jsonb ELSE message END AS message
  FROM bot.prompt_part JOIN edited USING (first_id)
  WHERE chat_id = $1 ORDER BY message_id`
