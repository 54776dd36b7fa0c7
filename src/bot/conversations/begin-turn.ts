import type { PrismaClient, Turn as StoredTurn } from '../../platform/database/generated/client.ts'
import type { HeldReason } from '../../platform/database/generated/enums.ts'
import type { ModelChoice } from '../models.ts'
import { readFormat } from '../people/chats.ts'
import { storeUser } from '../people/users.ts'
import { COST_NOTE_SETTING, parseCostNote } from '../stored-settings.ts'
import type { Prompt } from '../telegram/prompt.ts'
import { toDatabaseTime } from '../telegram/telegram-clock.ts'
import { addFirstConversation } from './conversations.ts'
import { type Turn, type TurnsApp, toTurn } from './turn.ts'

export interface NewTurn {
  prompt: Prompt
  choice: ModelChoice
  heldReason?: HeldReason | undefined
  /** A second turn of the same origin is not begun. */
  originKey?: string | undefined
}

export interface BegunTurn {
  turn: Turn
  /** True if its message is the first of its conversation. */
  isFirst: boolean
  /** True if an earlier turn of its thread has not ended, or if this turn was begun before. */
  isBehind: boolean
}

/**
 * One statement, since each answer waits for it: a transaction would take five round trips. A turn and its message are
 * stored together, and a message has one first turn. A model that is no longer offered does not answer.
 */
const BEGIN = `
  WITH current AS MATERIALIZED (
    SELECT id, model FROM bot.conversation WHERE chat_id = $1 AND thread_id = $2
    ORDER BY entered_at DESC, id DESC LIMIT 1 FOR KEY SHARE
  ), begun AS (
    INSERT INTO bot.turn (chat_id, thread_id, user_id, prompt_message_id, sent_at, state, held_reason,
      unseen, file_ids, asks_price, message_ids, lease_owner, origin_key, conversation_id, model, format)
    SELECT $1, $2, $3, $4, ${toDatabaseTime('$5', '$6')}, $7::bot.turn_state, $8::bot.held_reason,
      $9::bot.unseen_kind, $10::text[], cardinality($10::text[]) > 0, ARRAY[]::int[], $11, $15, id,
      coalesce(CASE WHEN $12::text[] IS NULL OR model = ANY ($12::text[]) THEN model END, $13),
      coalesce((SELECT format FROM bot.chat WHERE id = $1), 'auto')
    FROM current WHERE EXISTS (SELECT FROM bot."user" WHERE id = $3)
    ON CONFLICT DO NOTHING RETURNING *
  ), message AS (
    INSERT INTO bot.message (conversation_id, turn_id, role, content)
    SELECT conversation_id, id, 'user', $14 FROM begun
  )
  SELECT begun.*,
    coalesce((SELECT cost_note FROM bot."user" WHERE id = $3),
      (SELECT value FROM bot.setting WHERE name = '${COST_NOTE_SETTING}')) AS "costNote",
    NOT EXISTS (SELECT FROM bot.message AS other WHERE other.conversation_id = begun.conversation_id) AS "isFirst",
    EXISTS (SELECT FROM bot.turn AS other WHERE other.chat_id = $1 AND other.thread_id = $2
      AND other.ended_at IS NULL AND other.id < begun.id) AS "isBehind"
  FROM begun`

/** Returns undefined if the message has a turn, or its user or conversation has no row: `prepareThread()`. */
export async function beginTurn(
  { prisma, leaseOwner, telegramNow }: TurnsApp,
  { prompt, choice, heldReason, originKey }: NewTurn,
): Promise<BegunTurn | undefined> {
  const { chatId, threadId, messageId, text, sentAt, user, unseen = null, fileIds = [] } = prompt
  const state = heldReason === undefined ? 'waiting' : 'held'
  type Row = Omit<BegunTurn, 'turn'> & { [column: string]: unknown; costNote: string | null }
  const [begun] = await prisma.$queryRawUnsafe<Row[]>(
    BEGIN,
    ...[chatId, threadId, user.id, messageId, sentAt, telegramNow() ?? null],
    ...[state, heldReason ?? null, unseen, [...fileIds], leaseOwner],
    ...[choice.offered === undefined ? null : [...choice.offered], choice.otherwise, text],
    originKey ?? null,
  )
  if (begun === undefined) return undefined
  const { isFirst, isBehind, costNote, ...columns } = begun
  const language = { language: null, languageCode: user.languageCode ?? null }
  const relations = { user: { ...language, costNote: null }, messages: [], charge: [] }
  const turn = toTurn({ ...toStored(columns), ...relations })
  return { turn: { ...turn, costNote: parseCostNote(costNote) }, isFirst, isBehind }
}

/** All of the turn's fields are named as its columns are. */
function toStored(columns: Record<string, unknown>): StoredTurn {
  const toField = (column: string) =>
    column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const fields = Object.entries(columns).map(([column, value]) => [toField(column), value])
  return Object.fromEntries(fields) as StoredTurn
}

/** Stores the user and the conversation of a turn. Safe to repeat. */
export async function prepareThread(
  prisma: Pick<PrismaClient, 'user' | '$executeRaw'>,
  { user, ...thread }: Prompt,
): Promise<void> {
  await storeUser(prisma, user)
  await addFirstConversation(prisma, thread)
}

export interface NewSummary {
  offer: Omit<Prompt, 'text' | 'sentAt'>
  conversationId: bigint
  model: string
  originKey: string
}

/** Begins the turn that sums up a conversation, unless the conversation is gone. Safe to repeat. */
export async function beginSummary(
  prisma: Pick<PrismaClient, '$transaction'>,
  { offer, ...summary }: NewSummary,
): Promise<void> {
  const { chatId, threadId, messageId, user } = offer
  await prisma.$transaction(async (tx) => {
    await storeUser(tx, user)
    const found = await tx.$executeRaw`
      SELECT FROM bot.conversation WHERE id = ${summary.conversationId} FOR KEY SHARE`
    if (found === 0) return
    const format = await readFormat(tx, chatId)
    const asked = { userId: user.id, chatId, threadId, promptMessageId: messageId, format }
    const shown = { messageIds: [messageId] }
    await tx.turn.createMany({
      data: { kind: 'summary', state: 'waiting', ...asked, ...summary, ...shown },
      skipDuplicates: true,
    })
  })
}
