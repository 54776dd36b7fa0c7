import type { Message, UserFromGetMe } from 'grammy/types'
import type { Pool } from 'pg'
import type { Texts } from '../../locales/texts.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import { toPrompt } from '../addressing/to-prompt.ts'
import { toConversationKey } from './update-facts.ts'

/** The changes of a turn by its user before the service was asked. */
export interface LateChanges {
  isStopRequested: boolean
  edit?: { before: string | undefined; after: string }
}

interface LateChangesRow {
  isStopRequested: boolean
  edited: Message | null
  original: Message | null
}

interface AskedTurn extends ChatThread {
  id: bigint
  userId: bigint
  promptMessageId: number
  languageCode: string | undefined
}

export interface LateChangesDeps {
  pool: Pool
  texts: Texts
  me: () => Pick<UserFromGetMe, 'id' | 'username'>
}

const LATE_CHANGES = `
  SELECT turn.stop_requested_at IS NOT NULL AS "isStopRequested", (
    SELECT payload -> 'edited_message' FROM bot.update
    WHERE conversation_key = $2 AND released_at IS NULL
      AND payload -> 'edited_message' ->> 'message_id' = $3
    ORDER BY received_at DESC, id DESC LIMIT 1
  ) AS edited, (
    SELECT payload -> 'message' FROM bot.update
    WHERE conversation_key = $2 AND released_at IS NULL AND payload -> 'message' ->> 'message_id' = $3
    LIMIT 1
  ) AS original
  FROM bot.turn WHERE turn.id = $1`

/**
 * Checks, just before a turn is asked, whether its user wants it as it is. An edit of its message
 * may wait in the inbox until the turn has ended.
 */
export function createLateChanges({ pool, texts, me }: LateChangesDeps) {
  return async (turn: AskedTurn): Promise<LateChanges> => {
    const { id, promptMessageId, languageCode } = turn
    const { rows } = await pool.query<LateChangesRow>({
      name: 'late_changes',
      text: LATE_CHANGES,
      values: [id, toConversationKey(turn), String(promptMessageId)],
    })
    const { isStopRequested = false, edited, original } = rows[0] ?? {}
    const after = promptOf(edited) ?? ''
    return { isStopRequested, ...(after !== '' && { edit: { before: promptOf(original), after } }) }

    function promptOf(message: Message | null | undefined): string | undefined {
      if (message == null) return undefined
      const { from, chat, sender_chat } = message
      const firstName = sender_chat?.title ?? from?.first_name ?? chat.title ?? ''
      const sender = { id: Number(turn.userId), firstName, languageCode }
      return toPrompt(message, { sender, me: me(), texts }).text
    }
  }
}
