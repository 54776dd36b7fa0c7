import type { Pool } from 'pg'
import { languageOf } from '../users.ts'
import type { Turn } from './turns.ts'

/** Which turns are read: columns of `turn` and what they must hold. */
type Where =
  | { by: 'id'; values: [id: bigint] }
  | { by: 'replaces_id'; values: [id: bigint] }
  | { by: 'first'; values: [chatId: number, promptMessageId: number] }
  | { by: 'prompt'; values: [chatId: number, promptMessageId: number] }

const CONDITIONS: Readonly<Record<Where['by'], string>> = {
  id: 'turn.id = $1',
  replaces_id: 'turn.replaces_id = $1',
  first: 'turn.chat_id = $1 AND turn.prompt_message_id = $2 AND turn.attempt = 1',
  prompt: 'turn.chat_id = $1 AND turn.prompt_message_id = $2',
}

/** As PostgreSQL has it: its bigint comes as text. */
interface TurnRow extends Omit<Turn, BigIntField | 'chatId' | 'answer' | 'charge'> {
  id: string
  conversationId: string
  userId: string
  chatId: string
  nextCostMicroRub: string | null
  language: string | null
  telegramLanguage: string | null
  answer: string | null
  amountMicroRub: string | null
  isEstimated: boolean | null
}
type BigIntField = 'id' | 'conversationId' | 'userId' | 'nextCostMicroRub'

const READ = `
  SELECT turn.id, turn.conversation_id AS "conversationId", turn.user_id AS "userId",
    turn.chat_id AS "chatId", turn.thread_id AS "threadId",
    turn.prompt_message_id AS "promptMessageId", turn.attempt, turn.sent_at AS "sentAt",
    turn.created_at AS "createdAt", turn.model, turn.state, turn.held_reason AS "heldReason",
    turn.stop_requested_at AS "stopRequestedAt", turn.sending_since AS "sendingSince", turn.set_aside_at AS "setAsideAt",
    turn.context_percent AS "contextPercent",
    turn.next_cost_micro_rub AS "nextCostMicroRub", turn.error_code AS "errorCode",
    coalesce(turn.message_ids, '{}') AS "messageIds", turn.shown_text AS "shownText", turn.ended_at AS "endedAt",
    asker.language, asker.language_code AS "telegramLanguage",
    asker.uses_drafts AS "usesDrafts", answer.content AS answer,
    charge.amount_micro_rub AS "amountMicroRub", charge.estimated AS "isEstimated"
  FROM bot.turn JOIN bot."user" asker ON asker.id = turn.user_id
    LEFT JOIN bot.message answer ON answer.turn_id = turn.id AND answer.role = 'assistant'
    LEFT JOIN bot.charge ON charge.turn_id = turn.id AND charge.kind = 'turn'`

/** Reads turns with their answers and charges, in the order of their attempts. */
export async function readTurns(pool: Pool, { by, values }: Where): Promise<Turn[]> {
  const { rows } = await pool.query<TurnRow>({
    name: `turn_by_${by}`,
    text: `${READ} WHERE ${CONDITIONS[by]} ORDER BY turn.attempt`,
    values,
  })
  return rows.map(toTurn)
}

function toTurn(row: TurnRow): Turn {
  const { language, telegramLanguage, answer, amountMicroRub, isEstimated, ...facts } = row
  return {
    ...facts,
    id: BigInt(row.id),
    conversationId: BigInt(row.conversationId),
    userId: BigInt(row.userId),
    chatId: Number(row.chatId),
    nextCostMicroRub: row.nextCostMicroRub === null ? null : BigInt(row.nextCostMicroRub),
    languageCode: languageOf({ language, languageCode: telegramLanguage }),
    ...(answer !== null && { answer }),
    ...(amountMicroRub !== null && {
      charge: { amountMicroRub: BigInt(amountMicroRub), estimated: isEstimated === true },
    }),
  }
}
