import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { HeldReason, TurnKind } from '../../../platform/database/generated/enums.ts'
import type { ModelChoice } from '../../models/models.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { addSpenders } from '../../spend/limits/add-spenders.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'
import type { Turn } from './turn.ts'

export interface NewTurn {
  /** Of a summary, the message of the bot that offered it. */
  prompt: Omit<Prompt, 'sentAt'> & { sentAt: Date | null }
  /** An answer where it is missing. The message of a summary becomes its reply, and has no words for the model. */
  kind?: TurnKind
  /** SQL of CTEs, the last one `conversation (id, model)`: to which it belongs, and who answers. */
  conversation: Prisma.Sql
  /** The press that asked for it (`origin-key.ts`), where that is not told by the message alone. */
  originKey?: string
  /** Why its user is to be asked first. */
  heldReason?: HeldReason | undefined
  /** This process, which answers it; null where it waits until those before it have ended. */
  leaseOwner: number | null
  /** What is stored with it. */
  together?: BegunTogether | undefined
  calendar: Calendar
}

/**
 * What other rooms have stored by the statement that begins a turn, so that none of it takes a statement of its
 * own: SQL that takes effect if `begun`, a FROM item, has a row.
 */
export interface BegunTogether {
  /** Notes the update that asks for it. Gives `isFollowed`: whether others of its conversation are there. */
  note?: Prisma.Sql | undefined
  /** Takes a slot of the service, if one is free. Gives `sentAt`. */
  slot?: Prisma.Sql | undefined
}

/** What was seen when a turn was begun. */
export interface SeenAtBeginning {
  /** Whether nothing was said in its conversation before, and no instruction given. */
  isFirst: boolean
  /** What came of `BegunTogether.note`. */
  isFollowed: boolean | null
  /** What came of `BegunTogether.slot`. */
  sentAt: Date | null
}

export interface BegunTurn {
  turn: Turn
  /** Missing where it was begun before. */
  seen?: SeenAtBeginning
}

type BegunRow = SeenAtBeginning &
  Pick<Turn, 'id' | 'createdAt' | 'conversationId' | 'model' | 'usesDrafts'>

/**
 * Begins the turn of a message.
 *
 * Invariant: the turn, its user's message, its user's row and the counters of who may spend are stored by one
 * statement, all of them or none, and a message has one first turn. The user is locked before the conversation,
 * as an erasure locks them, and the counters before what the process shares with others.
 *
 * @returns Undefined if the message has a turn, or the conversation is gone.
 */
export async function beginTurn(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { prompt, kind = 'answer', conversation, originKey, heldReason, leaseOwner, ...rest }: NewTurn,
): Promise<BegunTurn | undefined> {
  const { together: { note = NO_NOTE, slot = NO_SLOT } = {}, calendar } = rest
  const { chatId, threadId, messageId: promptMessageId, text, sentAt, user } = prompt
  const { unseen = null, fileIds = [] } = prompt
  const asksPrice = fileIds.length > 0
  const { firstName, username = null, languageCode } = user
  const state = heldReason !== undefined ? 'held' : leaseOwner === null ? 'waiting' : 'streaming'
  const messageIds = kind === 'summary' ? [promptMessageId] : []
  // A known user's language is not touched: the one at hand may be what they chose.
  const [begun] = await prisma.$queryRaw<BegunRow[]>`
    WITH asker AS (
      INSERT INTO bot."user" (id, first_name, username, language_code)
      VALUES (${user.id}, ${firstName}, ${username}, ${languageCode ?? null})
      ON CONFLICT (id) DO UPDATE SET first_name = excluded.first_name, username = excluded.username
        WHERE ("user".first_name, "user".username)
          IS DISTINCT FROM (excluded.first_name, excluded.username)
      RETURNING id
    ), ${conversation}, spenders AS (
      ${addSpenders([...new Set([user.id, ...(chatId < 0 ? [chatId] : [])])].map(BigInt), calendar)}
    ), begun AS (
      INSERT INTO bot.turn (conversation_id, kind, user_id, chat_id, thread_id, prompt_message_id,
        sent_at, model, origin_key, state, held_reason, unseen, file_ids, asks_price, message_ids,
        lease_owner)
      SELECT id, ${kind}::bot.turn_kind, ${user.id}, ${chatId}, ${threadId}, ${promptMessageId},
        ${sentAt}, model, ${originKey ?? null}, ${state}::bot.turn_state,
        ${heldReason ?? null}::bot.held_reason,
        ${unseen}::bot.unseen_kind, ${fileIds}::text[], ${asksPrice}, ${messageIds}::int[],
        ${leaseOwner}
      FROM conversation WHERE (SELECT count(*) FROM spenders) >= 0
      ON CONFLICT DO NOTHING RETURNING id, conversation_id, model, created_at
    ), message AS (
      INSERT INTO bot.message (conversation_id, turn_id, role, content)
      SELECT conversation_id, id, 'user', ${text} FROM begun WHERE ${kind} = 'answer'
    ), noted AS (${note}), slot AS (${slot})
    SELECT begun.id, begun.created_at AS "createdAt", conversation_id AS "conversationId",
      begun.model, coalesce("user".uses_drafts, false) AS "usesDrafts",
      NOT EXISTS (
        SELECT FROM bot.message WHERE message.conversation_id = begun.conversation_id
      ) AS "isFirst",
      (SELECT "isFollowed" FROM noted), (SELECT "sentAt" FROM slot)
    FROM begun LEFT JOIN bot."user" ON "user".id = ${user.id}`
  if (begun === undefined) return undefined
  const { isFirst, isFollowed, sentAt: slotAt, ...own } = begun
  const turn: Turn = {
    ...own,
    kind,
    userId: BigInt(user.id),
    chatId,
    threadId,
    promptMessageId,
    attempt: 1,
    replacesId: null,
    originKey: originKey ?? null,
    sentAt,
    languageCode,
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
  return { turn, seen: { isFirst, isFollowed, sentAt: slotAt } }
}

/**
 * SQL of the conversation that a thread is in, as `NewTurn` wants it; where the thread has none it begins, with the
 * model that its user chose last, in a private chat.
 */
export function threadsConversation(
  { chatId, threadId }: Pick<Prompt, 'chatId' | 'threadId'>,
  { offered, otherwise }: ModelChoice,
): Prisma.Sql {
  const any = offered === undefined
  return Prisma.sql`
    current AS MATERIALIZED (
      SELECT id, model FROM bot.conversation
      WHERE chat_id = ${chatId} AND thread_id = ${threadId} AND (SELECT count(*) FROM asker) >= 0
      ORDER BY entered_at DESC, id DESC LIMIT 1 FOR KEY SHARE
    ), first AS (
      INSERT INTO bot.conversation (chat_id, thread_id, is_first, model)
      SELECT ${chatId}, ${threadId}, true, (
        SELECT default_model FROM bot."user" WHERE id = ${chatId}::bigint AND id > 0)
      WHERE NOT EXISTS (SELECT FROM current)
      ON CONFLICT DO NOTHING RETURNING id, model
    ), conversation AS (
      SELECT id, coalesce(
        CASE WHEN ${any} OR model = ANY (${[...(offered ?? [])]}::text[]) THEN model END,
        ${otherwise}) AS model
      FROM (SELECT * FROM current UNION ALL SELECT * FROM first) AS chosen
    )`
}

/** SQL of a certain conversation, as `NewTurn` wants it. */
export function knownConversation(id: bigint, model: string): Prisma.Sql {
  return Prisma.sql`
    conversation AS MATERIALIZED (
      SELECT id, ${model}::text AS model FROM bot.conversation
      WHERE id = ${id} AND (SELECT count(*) FROM asker) >= 0 FOR KEY SHARE
    )`
}

const NO_NOTE = Prisma.sql`SELECT NULL::boolean AS "isFollowed"`
const NO_SLOT = Prisma.sql`SELECT NULL::timestamptz AS "sentAt"`
