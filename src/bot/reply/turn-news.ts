import type { Message, UserFromGetMe } from 'grammy/types'
import type { PrismaClient } from '../../database/generated/client.ts'
import { toPrompt } from '../addressing/to-prompt.ts'
import { toLine } from '../telegram/update-facts.ts'
import type { Texts } from '../texts.ts'
import type { Turn } from './turns.ts'

/** What its user did to a turn before the service was asked. */
export interface TurnNews {
  isStopRequested: boolean
  /** The prompt as it was edited last. */
  editedText?: string
}

export interface TurnNewsDeps {
  prisma: PrismaClient
  texts: Texts
  me: () => Pick<UserFromGetMe, 'id' | 'username'>
}

/**
 * Looks, just before a turn is asked, whether it is still wanted as it is. An edit of its message
 * may wait in the inbox behind the turn itself.
 */
export function createTurnNews({ prisma, texts, me }: TurnNewsDeps) {
  return async (turn: Turn): Promise<TurnNews> => {
    const { id, promptMessageId, languageCode } = turn
    const rows = await prisma.$queryRaw<{ isStopRequested: boolean; edited: Message | null }[]>`
      SELECT turn.stop_requested_at IS NOT NULL AS "isStopRequested", (
        SELECT payload -> 'edited_message' FROM bot.update
        WHERE line = ${toLine(turn)} AND passed_at IS NULL
          AND payload -> 'edited_message' ->> 'message_id' = ${String(promptMessageId)}
        ORDER BY received_at DESC, id DESC LIMIT 1
      ) AS edited
      FROM bot.turn WHERE turn.id = ${id}`
    const { isStopRequested = false, edited } = rows[0] ?? {}
    const { text, from, chat } = edited ?? {}
    if (!edited || text === undefined) return { isStopRequested }
    const firstName = edited.sender_chat?.title ?? from?.first_name ?? chat?.title ?? ''
    const sender = { id: Number(turn.userId), firstName, languageCode }
    const { text: editedText } = toPrompt({ ...edited, text }, { sender, me: me(), texts })
    return { isStopRequested, ...(editedText !== '' && { editedText }) }
  }
}
