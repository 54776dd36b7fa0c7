import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import { joinTexts, type PromptPart } from './joined-updates.ts'

/** Telegram lets people edit a message for so long. */
const EDITABLE_FOR = '48 hours'

/**
 * The messages of which prompts of several consist. Who edits one of them edits the prompt, of which
 * Telegram knows nothing.
 */
export function createStoredParts({ pool }: { pool: Pick<Pool, 'query'> }) {
  return { join, withOthers, purge }

  /**
   * Makes updates parts of a claimed one of their line.
   *
   * @param parts The messages of all of them, that of the claimed one first.
   */
  async function join(
    id: number,
    { partIds, parts }: { partIds: readonly number[]; parts: readonly PromptPart[] },
  ): Promise<void> {
    const [first] = parts
    await pool.query(JOIN, [
      id,
      partIds,
      first?.message.chat.id,
      first?.message.message_id,
      parts.map(({ message }) => message.message_id),
      parts.map(({ separator }) => separator),
      parts.map(({ message }) => JSON.stringify(message)),
    ])
  }

  /**
   * Makes of the edit of one part an edit of the whole prompt. Safe to repeat.
   *
   * @returns Any other update as it is.
   */
  async function withOthers(update: Update): Promise<Update> {
    const { edited_message: edited } = update
    if (edited?.text === undefined) return update
    const { rows } = await pool.query<PromptPart>(EDIT, [
      edited.chat.id,
      edited.message_id,
      JSON.stringify(edited),
    ])
    const [first] = rows
    if (first === undefined) return update
    // Everything but the text is as with the first message: whose prompt it is, what it answers.
    const { edit_date } = edited
    return { ...update, edited_message: { ...first.message, ...joinTexts(rows), edit_date } }
  }

  /** Forgets what nobody can edit any more. */
  async function purge(): Promise<void> {
    await pool.query('DELETE FROM bot.prompt_part WHERE joined_at < now() - $1::interval', [
      EDITABLE_FOR,
    ])
  }
}

const JOIN = `
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
