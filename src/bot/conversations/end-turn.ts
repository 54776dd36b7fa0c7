import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import { isBlank } from '../rich-text/parse/characters.ts'
import type { Calendar } from '../spend/calendar.ts'
import { recordCharges } from '../spend/charges/record-charges.ts'
import { costColumns, hiddenColumns, TURN_COLUMNS } from '../spend/charges/turn-charges.ts'
import type { TurnCost } from '../spend/charges/turn-cost.ts'
import { toStoredRefusal } from '../spend/limits/limit-refusal.ts'
import { ARE_LIMITS_SET } from '../spend/limits/limits.ts'
import { ANSWERED } from './history.ts'
import { isUnasked, keptMessages, type Turn, type TurnEnd, toTurnCharge } from './turn.ts'

/** Everything that a charge needs. */
export interface ChargeDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw' | '$transaction'>
  calendar: Calendar
}

type Tx = Pick<Prisma.TransactionClient, '$queryRaw'>
type EndedRow = Pick<
  Turn,
  'shownText' | 'sendingSince' | 'contextPercent' | 'isLast' | 'areLimitsSet'
>

const NOTHING: TurnCost = { amountMicroRub: 0n, estimated: false }

/**
 * Ends a turn.
 *
 * Invariant: its state, its reply and the charge are stored together, only once, and by its lease owner. The text of a
 * failed reply, or of a summary that is not whole, is on the turn alone: the model does not read it. Its reservation
 * ends, unless its cost is yet to come: then it names the process that waits for the cost, since the turn may be erased
 * before. If it ends unasked, a request that a crash hid is written off.
 *
 * @returns The turn as it ended; undefined if it had ended before, or its lease was lost.
 * @throws {RangeError} If no charge can be of this cost.
 */
export async function endTurn(
  { prisma, calendar }: ChargeDeps,
  turn: Turn,
  end: TurnEnd,
): Promise<Turn | undefined> {
  const isAnswer = hasAnswer(turn, end)
  const isSummary = turn.kind === 'summary'
  const ended =
    isAnswer && (isSummary || turn.attempt > 1)
      ? await prisma.$transaction(async (tx) => {
          const summedUp = isSummary ? await lockSummedUp(tx, turn) : []
          const row = await storeEnd(tx, { turn, end, calendar })
          if (row === undefined) return undefined
          await (isSummary ? replaceSummedUp(tx, turn, summedUp) : supersede(tx, turn))
          return row
        })
      : await storeEnd(prisma, { turn, end, calendar })
  if (ended === undefined) return undefined
  const { state, text, cost } = end
  return {
    ...turn,
    ...ended,
    state,
    errorCode: end.errorCode ?? null,
    nextCostMicroRub: end.nextCostMicroRub ?? null,
    limitReached: end.limitReached ?? null,
    ...(isAnswer && { answer: text, ...(cost?.usage && { usage: cost.usage }) }),
    ...(cost && { charge: toTurnCharge(cost) }),
  }
}

/** The model would take an empty answer in its history for an example. */
function hasAnswer({ kind }: Turn, { state, errorCode, text }: TurnEnd): boolean {
  if (isBlank(text)) return false
  const isWhole = state === 'finished' && errorCode === undefined
  return kind === 'summary' ? isWhole : state !== 'failed'
}

/** By one statement, with the charge: each answer waits for it before it is shown whole. */
async function storeEnd(
  tx: Tx,
  { turn, end, calendar }: { turn: Turn; end: TurnEnd; calendar: Calendar },
): Promise<EndedRow | undefined> {
  const { state, text, cost, errorCode = null, nextCostMicroRub = null, limitReached } = end
  // The reply that explains follows; the messages above it keep texts that may have been sent.
  const isExplained = keptMessages({ ...turn, state, errorCode }).length > 0
  const isAnswer = hasAnswer(turn, end)
  const isOver = cost !== undefined || state !== 'stopped' || errorCode === 'not_asked'
  const role = turn.kind === 'summary' ? 'system' : 'assistant'
  const { promptTokens = null, completionTokens = null } = cost?.usage ?? {}
  const [ended] = await tx.$queryRaw<EndedRow[]>`
    WITH ended AS (
      UPDATE bot.turn SET state = ${state}::bot.turn_state, error_code = ${errorCode},
        next_cost_micro_rub = ${nextCostMicroRub},
        held_micro_rub = CASE WHEN ${isOver} THEN NULL ELSE held_micro_rub END,
        limit_reached = ${limitReached ? toStoredRefusal(limitReached) : null}::jsonb,
        shown_text = CASE WHEN ${isAnswer} THEN shown_text ELSE ${text} END,
        sending_since = CASE WHEN ${isExplained} THEN NULL ELSE sending_since END
      WHERE id = ${turn.id} AND state IN ('waiting', 'streaming') AND lease_owner = ${turn.leaseOwner}
      RETURNING *
    ), answer AS (
      INSERT INTO bot.message (conversation_id, turn_id, role, content, model, prompt_tokens,
        completion_tokens, cost_micro_rub)
      SELECT conversation_id, id, ${role}::bot.message_role, ${text}, model, ${promptTokens}::int,
        ${completionTokens}::int, ${cost?.amountMicroRub ?? null}::bigint
      FROM ended WHERE ${isAnswer}
    ), ${isOver ? Prisma.empty : LEFT_RESERVED} ${chargesAtEnd(end, { isOver, calendar })}
    SELECT shown_text AS "shownText", sending_since AS "sendingSince",
      context_percent AS "contextPercent", ${ARE_LIMITS_SET} AS "areLimitsSet",
      NOT EXISTS (SELECT FROM bot.turn AS later WHERE later.chat_id = ended.chat_id
        AND later.thread_id = ended.thread_id AND later.id > ended.id) AS "isLast"
    FROM ended`
  return ended
}

function chargesAtEnd(
  { cost, errorCode }: TurnEnd,
  { isOver, calendar }: { isOver: boolean; calendar: Calendar },
): Prisma.Sql {
  // A failure of the bot itself may come before the turn is asked again.
  const isHidden = cost === undefined && (isUnasked(errorCode) || errorCode === 'internal')
  const hidden = Prisma.sql`turn.request_micro_rub`
  const isCharged = isHidden ? Prisma.sql`${hidden} IS NOT NULL` : Prisma.sql`${cost !== undefined}`
  return recordCharges({
    columns: {
      ...TURN_COLUMNS,
      ...(isHidden ? hiddenColumns(hidden) : costColumns(cost ?? NOTHING)),
    },
    from: Prisma.sql`FROM ended AS turn WHERE ${isCharged}`,
    over: Prisma.sql`SELECT 'turn'::bot.reservation_kind, id FROM ended WHERE ${isOver}`,
    calendar,
  })
}

const LEFT_RESERVED = Prisma.sql`left_reserved AS (
  UPDATE bot.reservation SET item = ended.model, lease_owner = ended.lease_owner
  FROM ended WHERE reservation.kind = 'turn' AND reservation.id = ended.id
),`

/** Sets aside the answers that a message had before: the newest counts. */
async function supersede(
  tx: Pick<Prisma.TransactionClient, 'turn'>,
  { conversationId, chatId, promptMessageId, attempt }: Turn,
): Promise<void> {
  const older = { conversationId, chatId, promptMessageId, attempt: { lt: attempt } }
  await tx.turn.updateMany({
    where: { ...older, setAsideAt: null, state: ANSWERED.state },
    data: { setAsideAt: new Date() },
  })
}

/** Locks the turns that a summary sums up, in order and before the summary, as all statements that lock several turns do. */
async function lockSummedUp(tx: Tx, { id, conversationId }: Turn): Promise<bigint[]> {
  const turns = await tx.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM bot.turn
    WHERE conversation_id = ${conversationId} AND id < ${id} AND set_aside_at IS NULL
      AND state IN ('finished', 'stopped', 'interrupted') AND EXISTS (
        SELECT FROM bot.message WHERE turn_id = turn.id AND role <> 'user' AND content <> '')
    ORDER BY id FOR NO KEY UPDATE`
  return turns.map((turn) => turn.id)
}

/** The conversation begins to grow again. */
async function replaceSummedUp(
  tx: Pick<Prisma.TransactionClient, 'turn' | 'conversation'>,
  { id: summaryId, conversationId }: Turn,
  summedUp: bigint[],
): Promise<void> {
  const data = { setAsideAt: new Date(), summaryId }
  await tx.turn.updateMany({ where: { id: { in: summedUp } }, data })
  await tx.conversation.updateMany({
    where: { id: conversationId },
    data: { warnedAt: null, summaryOfferedTokens: null },
  })
}

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
    ), unheld AS (
      UPDATE bot.turn SET held_micro_rub = NULL FROM found WHERE turn.id = found.id
    ), ${charges}
    UPDATE bot.message SET prompt_tokens = ${promptTokens},
      completion_tokens = ${completionTokens}, cost_micro_rub = ${cost.amountMicroRub}
    FROM charged WHERE message.turn_id = charged.turn_id AND message.role <> 'user'`
}
