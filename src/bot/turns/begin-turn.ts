import type { PrismaClient } from '../../database/generated/client.ts'
import type { HeldReason, TurnKind } from '../../database/generated/enums.ts'
import type { Prompt } from '../addressing/to-prompt.ts'
import type { Turn } from './turn.ts'

export interface NewTurn {
  /** Of a summary, the message of the bot that offered it. */
  prompt: Omit<Prompt, 'sentAt'> & { sentAt: Date | null }
  /** An answer where it is missing. The message of a summary becomes its reply, and has no words for the model. */
  kind?: TurnKind
  conversationId: bigint
  model: string
  /** The press that asked for it (`origin-key.ts`), where that is not told by the message alone. */
  originKey?: string
  /** Why its user is to be asked first. */
  heldReason?: HeldReason | undefined
  /** This process, which answers it; null where it waits until those before it have ended. */
  leaseOwner: number | null
}

/**
 * Begins the turn of a message.
 *
 * Invariant: the turn, its user's message and its user's row are stored by one statement, all of them
 * or none, and a message has one first turn. The user is locked before the conversation, as an erasure
 * locks them.
 *
 * @returns Undefined if the message has a turn, or the conversation is gone.
 */
export async function beginTurn(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { prompt, kind = 'answer', conversationId, model, originKey, heldReason, leaseOwner }: NewTurn,
): Promise<Turn | undefined> {
  const { chatId, threadId, messageId: promptMessageId, text, sentAt, user } = prompt
  const { unseen = null, fileIds = [] } = prompt
  const asksPrice = fileIds.length > 0
  const { firstName, username = null, languageCode } = user
  const state = heldReason !== undefined ? 'held' : leaseOwner === null ? 'waiting' : 'streaming'
  const messageIds = kind === 'summary' ? [promptMessageId] : []
  // A known user's language is not touched: the one at hand may be what they chose.
  const [begun] = await prisma.$queryRaw<Pick<Turn, 'id' | 'createdAt' | 'usesDrafts'>[]>`
    WITH asker AS (
      INSERT INTO bot."user" (id, first_name, username, language_code)
      VALUES (${user.id}, ${firstName}, ${username}, ${languageCode ?? null})
      ON CONFLICT (id) DO UPDATE SET first_name = excluded.first_name, username = excluded.username
        WHERE ("user".first_name, "user".username)
          IS DISTINCT FROM (excluded.first_name, excluded.username)
      RETURNING id
    ), begun AS (
      INSERT INTO bot.turn (conversation_id, kind, user_id, chat_id, thread_id, prompt_message_id,
        sent_at, model, origin_key, state, held_reason, unseen, file_ids, asks_price, message_ids,
        lease_owner)
      SELECT id, ${kind}::bot.turn_kind, ${user.id}, ${chatId}, ${threadId}, ${promptMessageId},
        ${sentAt}, ${model}, ${originKey ?? null}, ${state}::bot.turn_state,
        ${heldReason ?? null}::bot.held_reason,
        ${unseen}::bot.unseen_kind, ${fileIds}::text[], ${asksPrice}, ${messageIds}::int[],
        ${leaseOwner}
      FROM bot.conversation
      WHERE id = ${conversationId} AND (SELECT count(*) FROM asker) >= 0 FOR KEY SHARE
      ON CONFLICT DO NOTHING RETURNING id, conversation_id, created_at
    ), message AS (
      INSERT INTO bot.message (conversation_id, turn_id, role, content)
      SELECT conversation_id, id, 'user', ${text} FROM begun WHERE ${kind} = 'answer'
    )
    SELECT begun.id, begun.created_at AS "createdAt",
      coalesce("user".uses_drafts, false) AS "usesDrafts"
    FROM begun LEFT JOIN bot."user" ON "user".id = ${user.id}`
  if (begun === undefined) return undefined
  return {
    ...begun,
    kind,
    conversationId,
    userId: BigInt(user.id),
    chatId,
    threadId,
    promptMessageId,
    attempt: 1,
    replacesId: null,
    originKey: originKey ?? null,
    sentAt,
    languageCode,
    model,
    state,
    heldReason: heldReason ?? null,
    unseen,
    fileIds: [...fileIds],
    asksPrice,
    stopRequestedAt: null,
    sendingSince: null,
    setAsideAt: null,
    summaryId: null,
    contextPercent: null,
    nextCostMicroRub: null,
    savedMicroRub: null,
    errorCode: null,
    limitReached: null,
    requests: 0,
    requestMicroRub: null,
    leaseOwner,
    messageIds,
    maybeDoubleIds: [],
    shownText: '',
    endedAt: null,
  }
}
