/**
 * The statement that begins the turn of a message: what it stores is stored by it, all or none.
 *
 * Invariants:
 * - the turn, its user's message, its user's row and the counters of who may spend are stored together;
 * - a message has one first turn, and a chat thread one first conversation;
 * - the user is locked before the conversation, as an erasure locks them, then the counters, then what the process
 *   shares with others: the update that asks for the turn, and the gate of the service. A condition that is always
 *   true (`count(*) … >= 0`) has one step wait for another.
 *
 * The rows of others are written here, too, since a statement of their own would cost each message a round trip:
 * `spender` as in `spend/limits/reserve.ts`, `update` as `record` in `telegram/inbox/stored-updates.ts`,
 * `service_gate` as in `queue/stored-queue.ts`, whose rule `begin-turn.test.ts` compares with this one.
 */
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { HeldReason } from '../../../platform/database/generated/enums.ts'
import { nameParameters } from '../../../platform/database/named-statement.ts'
import type { ModelChoice } from '../../models/models.ts'
import type { SlotRequest } from '../../queue/stored-queue.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { spendersOf } from '../../spend/limits/reserve.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'
import { toDatabaseTime } from '../../telegram/telegram-clock.ts'
import type { Turn } from './turn.ts'

/** The statement; psql takes its values by `\set chatId 42`, `\set text '''Hello'''`, `\set sentAt null`. */
const BEGIN_TURN = `
WITH asker AS (
  -- The language of a known user is not touched: the one at hand may be what they chose.
  INSERT INTO bot."user" (id, first_name, username, language_code)
  VALUES (:userId, :firstName, :username, :languageCode)
  ON CONFLICT (id) DO UPDATE SET first_name = excluded.first_name, username = excluded.username
    WHERE ("user".first_name, "user".username)
      IS DISTINCT FROM (excluded.first_name, excluded.username)
  RETURNING id
), current AS MATERIALIZED (
  SELECT id, model FROM bot.conversation
  WHERE chat_id = :chatId AND thread_id = :threadId AND (SELECT count(*) FROM asker) >= 0
  ORDER BY entered_at DESC, id DESC LIMIT 1 FOR KEY SHARE
), first AS (
  -- In a private chat it begins with the model that its user chose last.
  INSERT INTO bot.conversation (chat_id, thread_id, is_first, model)
  SELECT :chatId, :threadId, true,
    (SELECT default_model FROM bot."user" WHERE id = :chatId AND id > 0)
  WHERE NOT EXISTS (SELECT FROM current)
  ON CONFLICT DO NOTHING RETURNING id, model
), conversation AS (
  -- A model that is not offered any more does not answer.
  SELECT id, coalesce(
    CASE WHEN :offeredModels::text[] IS NULL OR model = ANY (:offeredModels::text[]) THEN model END,
    :otherModel) AS model
  FROM (SELECT * FROM current UNION ALL SELECT * FROM first) AS chosen
), spenders AS (
  INSERT INTO bot.spender (id, day)
  SELECT subject.id, (coalesce(:today::timestamptz, now()) AT TIME ZONE :timeZone)::date
  FROM unnest(:spenderIds::bigint[]) AS subject(id)
  WHERE NOT EXISTS (SELECT FROM bot.spender WHERE spender.id = subject.id)
  ORDER BY subject.id ON CONFLICT DO NOTHING RETURNING id
), begun AS (
  INSERT INTO bot.turn (conversation_id, user_id, chat_id, thread_id, prompt_message_id, sent_at,
    model, format, state, held_reason, unseen, file_ids, asks_price, message_ids, lease_owner)
  SELECT id, :userId, :chatId, :threadId, :messageId, ${toDatabaseTime(':sentAt', ':telegramNow')},
    model, coalesce((SELECT format FROM bot.chat WHERE id = :chatId), 'auto'),
    :state::bot.turn_state, :heldReason::bot.held_reason, :unseen::bot.unseen_kind,
    :fileIds::text[], cardinality(:fileIds::text[]) > 0, ARRAY[]::int[], :leaseOwner
  FROM conversation WHERE (SELECT count(*) FROM spenders) >= 0
  ON CONFLICT DO NOTHING RETURNING id, conversation_id, model, format, created_at, sent_at
), message AS (
  INSERT INTO bot.message (conversation_id, turn_id, role, content)
  SELECT conversation_id, id, 'user', :text FROM begun
), recorded AS (
  -- Those after it in its conversation may be looked at. Without an update id there is no such row.
  UPDATE bot.update AS own SET noted_at = coalesce(noted_at, clock_timestamp()) FROM begun
  WHERE own.id = :updateId AND own.lease_owner = :leaseOwner
  RETURNING EXISTS (
    SELECT FROM bot.update AS other
    WHERE other.conversation_key = own.conversation_key AND other.released_at IS NULL
      AND other.id <> own.id AND other.part_of IS DISTINCT FROM own.id) AS "isFollowed"
), slot AS (
  -- Who comes at the same time waits for the row, and is judged by its newest version.
  UPDATE bot.service_gate
  SET sent_at = ARRAY(
      SELECT at FROM unnest(sent_at) AS at
      WHERE at > clock_timestamp() - :windowMs * interval '1 ms'
        AND at < clock_timestamp() + :windowMs * interval '1 ms'
    ) || array_fill(clock_timestamp(), ARRAY[:slots::int])
  WHERE kind = :queueKind AND EXISTS (SELECT FROM begun) AND cardinality(ARRAY(
      SELECT at FROM unnest(sent_at) AS at
      WHERE at > clock_timestamp() - :windowMs * interval '1 ms'
        AND at < clock_timestamp() + :windowMs * interval '1 ms'
    )) + :slots::int <= :slotsMax::int
    AND away_tries = 0 AND coalesce(closed_until <= clock_timestamp(), true)
    AND NOT EXISTS (
      SELECT FROM bot.queue_entry
      WHERE kind = :queueKind AND sent_at IS NULL AND lease_owner IS NOT NULL)
  RETURNING sent_at[cardinality(sent_at)] AS "sentAt"
)
SELECT begun.id, begun.created_at AS "createdAt", begun.sent_at AS "sentAt", conversation_id AS "conversationId",
  begun.model, begun.format,
  NOT EXISTS (
    SELECT FROM bot.message WHERE message.conversation_id = begun.conversation_id
  ) AS "isFirst",
  (SELECT "isFollowed" FROM recorded), (SELECT "sentAt" FROM slot) AS "slotAt"
FROM begun`

const STATEMENT = nameParameters(BEGIN_TURN)

export interface NewTurn {
  prompt: Prompt
  choice: ModelChoice
  heldReason?: HeldReason | undefined
  /** This process, which answers it; null where it waits until those before it have ended. */
  leaseOwner: number | null
  /** The update that asks for it and is leased by this process, where those after it may be looked at from now on. */
  updateId?: number | undefined
  slot?: SlotRequest | undefined
  calendar: Pick<Calendar, 'timeZone' | 'fixedNow'>
  telegramNow?: Date | undefined
}

/** Everything that was seen when a turn was begun. */
export interface SeenAtBeginning {
  isFirst: boolean
  /** True if others of its conversation are in the inbox; null without `updateId`. */
  isFollowed: boolean | null
  slotAt: Date | null
}

export interface BegunTurn {
  turn: Turn
  /** Missing where it was begun before. */
  seen?: SeenAtBeginning
}

type BegunRow = SeenAtBeginning &
  Pick<Turn, 'id' | 'createdAt' | 'sentAt' | 'conversationId' | 'model' | 'format'>

/**
 * Begins the turn of a message in its thread's conversation; where the thread has none, that begins, too.
 *
 * @returns Undefined if the message has a turn, or the conversation was just being begun or erased.
 */
export async function beginTurn(
  prisma: Pick<PrismaClient, '$queryRawUnsafe'>,
  { prompt, choice, heldReason, leaseOwner, updateId, slot, calendar, telegramNow }: NewTurn,
): Promise<BegunTurn | undefined> {
  const { chatId, threadId, messageId, text, sentAt, user } = prompt
  const { unseen = null, fileIds = [] } = prompt
  const { languageCode } = user
  const state = heldReason !== undefined ? 'held' : leaseOwner === null ? 'waiting' : 'streaming'
  const values = STATEMENT.valuesOf({
    userId: user.id,
    firstName: user.firstName,
    username: user.username ?? null,
    languageCode: languageCode ?? null,
    chatId,
    threadId,
    messageId,
    sentAt,
    telegramNow: telegramNow ?? null,
    text,
    unseen,
    fileIds: [...fileIds],
    offeredModels: choice.offered === undefined ? null : [...choice.offered],
    otherModel: choice.otherwise,
    state,
    heldReason: heldReason ?? null,
    leaseOwner,
    spenderIds: spendersOf({ userId: user.id, chatId }),
    today: calendar.fixedNow?.() ?? null,
    timeZone: calendar.timeZone,
    updateId: updateId ?? null,
    queueKind: slot?.kind ?? null,
    slots: 1,
    slotsMax: slot?.limit ?? null,
    windowMs: slot?.windowMs ?? null,
  })
  const [begun] = await prisma.$queryRawUnsafe<BegunRow[]>(STATEMENT.text, ...values)
  if (begun === undefined) return undefined
  const { isFirst, isFollowed, slotAt, ...own } = begun
  const turn: Turn = {
    ...own,
    kind: 'answer',
    userId: BigInt(user.id),
    chatId,
    threadId,
    promptMessageId: messageId,
    attempt: 1,
    replacesId: null,
    originKey: null,
    languageCode,
    state,
    heldReason: heldReason ?? null,
    unseen,
    fileIds: [...fileIds],
    asksPrice: fileIds.length > 0,
    stopRequestedAt: null,
    sendingSince: null,
    setAsideAt: null,
    summaryId: null,
    contextPercent: null,
    nextCostMicroRub: null,
    errorCode: null,
    limitReached: null,
    requests: 0,
    requestMicroRub: null,
    leaseOwner,
    messageIds: [],
    maybeDoubleIds: [],
    shownText: '',
    endedAt: null,
  }
  return { turn, seen: { isFirst, isFollowed, slotAt } }
}
