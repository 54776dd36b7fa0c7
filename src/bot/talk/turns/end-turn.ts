import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { isBlank } from '../../rich-text/parse/characters.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { recordCharges } from '../../spend/charges/record-charges.ts'
import { costColumns, hiddenColumns, TURN_COLUMNS } from '../../spend/charges/turn-charges.ts'
import type { TurnCost } from '../../spend/charges/turn-cost.ts'
import { toStoredRefusal } from '../../spend/limits/limit-refusal.ts'
import { isUnasked, keptMessages, type Turn, type TurnEnd, toTurnCharge } from './turn.ts'

type SeenAtEnd = 'isLast' | 'beforeEndedAt'

/** Everything that a charge needs. */
export interface ChargeDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>
  calendar: Calendar
}

/**
 * Ends a turn.
 *
 * Invariant: its state, its reply and the charge are stored by one statement, all of them or none, only once,
 * and by its lease owner. With an answer it replaces the answers that its message had before: the newest counts. A
 * whole summary replaces the turns that it sums up. The text of a failed reply, or of a summary that is not whole, is
 * on the turn alone: the model does not read it. Its reservation ends, unless its cost is yet to come: then it names
 * the process that waits for the cost, since the turn may be erased before. If it ends unasked, a request that a crash
 * hid is written off.
 *
 * @returns The turn as it ended; undefined if it had ended before, or its lease was lost.
 * @throws {RangeError} If no charge can be of this cost.
 */
export async function endTurn(
  { prisma, calendar }: ChargeDeps,
  turn: Turn,
  end: TurnEnd,
): Promise<Turn | undefined> {
  const { state, text, cost } = end
  const errorCode = end.errorCode ?? null
  const nextCostMicroRub = end.nextCostMicroRub ?? null
  const limitReached = end.limitReached ?? null
  // What follows is the reply that explains; the messages above it keep what may have been sent.
  const isExplained = keptMessages({ ...turn, state, errorCode }).length > 0
  const isSummary = turn.kind === 'summary'
  const isWhole = state === 'finished' && errorCode === null
  // The model would take an empty answer in its history for an example.
  const isAnswer = !isBlank(text) && (isSummary ? isWhole : state !== 'failed')
  const replacing = isSummary && isAnswer ? replaceSummedUp(turn) : NOTHING_REPLACED
  const isOver = cost !== undefined || state !== 'stopped' || errorCode === 'not_asked'
  const { promptTokens = null, completionTokens = null } = cost?.usage ?? {}
  // A failure of the bot itself may come before the turn is asked again.
  const isHidden = cost === undefined && (isUnasked(end.errorCode) || end.errorCode === 'internal')
  const charged = isHidden
    ? {
        columns: hiddenColumns(Prisma.sql`turn.request_micro_rub`),
        from: Prisma.sql`turn.request_micro_rub IS NOT NULL`,
      }
    : { columns: costColumns(cost ?? NOTHING), from: Prisma.sql`${cost !== undefined}` }
  const charges = recordCharges({
    columns: { ...TURN_COLUMNS, ...charged.columns },
    from: Prisma.sql`FROM ended AS turn WHERE ${charged.from}`,
    over: Prisma.sql`SELECT 'turn'::bot.reservation_kind, id FROM ended WHERE ${isOver}`,
    calendar,
  })
  const [ended] = await prisma.$queryRaw<
    Pick<Turn, 'shownText' | 'sendingSince' | 'contextPercent' | SeenAtEnd>[]
  >`
    WITH ${replacing.before} ended AS (
      UPDATE bot.turn SET state = ${state}::bot.turn_state, error_code = ${errorCode},
        next_cost_micro_rub = ${nextCostMicroRub},
        limit_reached = ${limitReached && toStoredRefusal(limitReached)}::jsonb,
        shown_text = CASE WHEN ${isAnswer} THEN shown_text ELSE ${text} END,
        sending_since = CASE WHEN ${isExplained} THEN NULL ELSE sending_since END
      WHERE id = ${turn.id} AND state = 'streaming' AND lease_owner = ${turn.leaseOwner}
        ${replacing.order}
      RETURNING *
    ), answer AS (
      INSERT INTO bot.message (conversation_id, turn_id, role, content, model, prompt_tokens,
        completion_tokens, cost_micro_rub)
      SELECT conversation_id, id, ${isSummary ? 'system' : 'assistant'}::bot.message_role, ${text},
        model, ${promptTokens}::int, ${completionTokens}::int, ${cost?.amountMicroRub ?? null}::bigint
      FROM ended WHERE ${isAnswer}
    ), superseded AS (
      UPDATE bot.turn AS older SET set_aside_at = now() FROM ended
      WHERE ${isAnswer} AND ended.attempt > 1 AND older.conversation_id = ended.conversation_id
        AND older.chat_id = ended.chat_id AND older.prompt_message_id = ended.prompt_message_id
        AND older.attempt < ended.attempt AND older.set_aside_at IS NULL
        AND older.state IN ('finished', 'stopped', 'interrupted')
    ), ${isOver ? Prisma.empty : LEFT_RESERVED} ${replacing.after} ${charges}
    SELECT shown_text AS "shownText", sending_since AS "sendingSince", context_percent AS "contextPercent",
      NOT EXISTS (
        SELECT FROM bot.turn AS later
        WHERE later.chat_id = ended.chat_id AND later.thread_id = ended.thread_id
          AND later.id > ended.id
      ) AS "isLast", (
        SELECT ended_at FROM bot.turn AS earlier
        WHERE earlier.chat_id = ended.chat_id AND earlier.thread_id = ended.thread_id
          AND earlier.id < ended.id
        ORDER BY earlier.id DESC LIMIT 1
      ) AS "beforeEndedAt" FROM ended`
  if (ended === undefined) return undefined
  return {
    ...turn,
    ...ended,
    state,
    errorCode,
    nextCostMicroRub,
    limitReached,
    ...(isAnswer && { answer: text, ...(cost?.usage && { usage: cost.usage }) }),
    ...(cost && { charge: toTurnCharge(cost) }),
  }
}

/**
 * SQL that sets aside the turns that a summary sums up, and lets the conversation begin to grow again. Those turns are locked in
 * order and before the summary, as in all statements that lock several turns.
 */
function replaceSummedUp({
  id,
  conversationId,
}: Turn): Record<'before' | 'order' | 'after', Prisma.Sql> {
  return {
    before: Prisma.sql`summed_up AS MATERIALIZED (
      SELECT id FROM bot.turn
      WHERE conversation_id = ${conversationId} AND id < ${id} AND set_aside_at IS NULL
        AND state IN ('finished', 'stopped', 'interrupted') AND EXISTS (
          SELECT FROM bot.message WHERE turn_id = turn.id AND role <> 'user' AND content <> ''
        )
      ORDER BY id FOR NO KEY UPDATE
    ),`,
    order: Prisma.sql`AND (SELECT count(*) FROM summed_up) >= 0`,
    after: Prisma.sql`replaced AS (
      UPDATE bot.turn SET set_aside_at = now(), summary_id = ended.id
      FROM ended WHERE turn.id IN (SELECT id FROM summed_up)
    ), shortened AS (
      UPDATE bot.conversation SET warned_at = NULL, summary_offered_tokens = NULL
      FROM ended WHERE conversation.id = ended.conversation_id
    ),`,
  }
}

const LEFT_RESERVED = Prisma.sql`left_reserved AS (
  UPDATE bot.reservation SET item = ended.model, lease_owner = ended.lease_owner
  FROM ended WHERE reservation.kind = 'turn' AND reservation.id = ended.id
),`

const NOTHING_REPLACED = { before: Prisma.empty, order: Prisma.empty, after: Prisma.empty }

/**
 * Charges a turn that ended before its cost was known, also if its user had it erased since.
 *
 * Invariant: a request of a turn has one charge, the first, and the turn's answer has the same figures: both are
 * written by one statement, and the reservation ends with it. Safe to repeat.
 *
 * @throws {RangeError} If no charge can be of this cost.
 */
export async function chargeTurn(
  { prisma, calendar }: ChargeDeps,
  { id, userId, chatId, model }: Pick<Turn, 'id' | 'userId' | 'chatId' | 'model'>,
  cost: TurnCost,
): Promise<void> {
  const { promptTokens = null, completionTokens = null } = cost.usage ?? {}
  const charges = recordCharges({
    columns: {
      ...TURN_COLUMNS,
      ...costColumns(cost),
      user_id: Prisma.sql`coalesce(turn.user_id, ${userId}::bigint)`,
      chat_id: Prisma.sql`coalesce(turn.chat_id, ${chatId}::bigint)`,
      item: Prisma.sql`coalesce(turn.model, ${model}::text)`,
    },
    from: Prisma.sql`FROM (SELECT) AS one LEFT JOIN found AS turn ON true`,
    over: Prisma.sql`SELECT 'turn'::bot.reservation_kind, ${id}::bigint`,
    calendar,
  })
  await prisma.$executeRaw`
    WITH found AS (
      SELECT * FROM bot.turn WHERE id = ${id} FOR KEY SHARE
    ), ${charges}
    UPDATE bot.message SET prompt_tokens = ${promptTokens},
      completion_tokens = ${completionTokens}, cost_micro_rub = ${cost.amountMicroRub}
    FROM charged WHERE message.turn_id = charged.turn_id AND message.role <> 'user'`
}

const NOTHING: TurnCost = { amountMicroRub: 0n, estimated: false }
