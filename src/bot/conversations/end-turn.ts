import type { Prisma } from '../../platform/database/generated/client.ts'
import { isBlank } from '../rich-text/characters.ts'
import { chargeTurn, hiddenCost } from '../spend/charges.ts'
import type { TurnCost } from '../spend/costs.ts'
import { toStoredRefusal } from '../spend/limits.ts'
import { ANSWERED } from './history.ts'
import {
  isUnasked,
  keptMessages,
  type Turn,
  type TurnEnd,
  type TurnsApp,
  toTurnCharge,
} from './turn.ts'

type Tx = Prisma.TransactionClient
type ShownRow = Pick<Turn, 'shownText' | 'sendingSince' | 'isLast'>
/** The user and the chat as they are now: a group may have moved. */
type EndedRow = ShownRow & Pick<Turn, 'userId' | 'chatId' | 'requests' | 'requestMicroRub'>

/**
 * Ends a turn. Returns undefined if it had ended before, or its lease was lost.
 *
 * Invariant: its state, its reply and the charge are stored together, only once, and by its lease owner. The text of a
 * failed reply or a partial summary is on the turn alone: the model does not read it. The hold of a turn whose cost is
 * yet to come stays.
 *
 * @throws {RangeError} If no charge can be of this cost.
 */
export async function endTurn(
  { prisma, spend }: TurnsApp,
  turn: Turn,
  end: TurnEnd,
): Promise<Turn | undefined> {
  const isAnswer = hasAnswer(turn, end)
  const isSummary = turn.kind === 'summary'
  const ended = await prisma.$transaction(async (tx) => {
    const summedUp = isAnswer && isSummary ? await lockSummedUp(tx, turn) : []
    const row = await storeEnd(tx, turn, end)
    if (row === undefined) return undefined
    const cost = chargedCost(end, row)
    if (cost !== undefined) await chargeTurn(tx, { ...turn, ...row }, cost, spend.calendar)
    if (isAnswer && isSummary) await replaceSummedUp(tx, turn, summedUp)
    else if (isAnswer && turn.attempt > 1) await supersede(tx, turn)
    const { shownText, sendingSince, isLast } = row
    return { shownText, sendingSince, ...(isLast !== undefined && { isLast }) }
  })
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

/** A request that a crash hid is written off by a turn that ends without a request of its own. */
function chargedCost({ cost, errorCode }: TurnEnd, { requestMicroRub }: EndedRow) {
  // A failure of the bot itself may come before the turn is asked again.
  const isHidden = cost === undefined && (isUnasked(errorCode) || errorCode === 'internal')
  return isHidden && requestMicroRub !== null ? hiddenCost(requestMicroRub) : cost
}

/** The model would take an empty answer in its history for an example. */
function hasAnswer({ kind }: Turn, { state, errorCode, text }: TurnEnd): boolean {
  if (isBlank(text)) return false
  const isWhole = state === 'finished' && errorCode === undefined
  return kind === 'summary' ? isWhole : state !== 'failed'
}

/** One statement: each answer waits for it before it is shown whole. */
async function storeEnd(tx: Tx, turn: Turn, end: TurnEnd): Promise<EndedRow | undefined> {
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
    )
    SELECT user_id AS "userId", chat_id::float8 AS "chatId", requests,
      request_micro_rub AS "requestMicroRub", shown_text AS "shownText",
      sending_since AS "sendingSince",
      NOT EXISTS (SELECT FROM bot.turn AS later WHERE later.chat_id = ended.chat_id
        AND later.thread_id = ended.thread_id AND later.id > ended.id) AS "isLast"
    FROM ended`
  return ended
}

/** The newest answer to a message counts. */
async function supersede(
  tx: Tx,
  { conversationId, chatId, promptMessageId, attempt }: Turn,
): Promise<void> {
  const older = { conversationId, chatId, promptMessageId, attempt: { lt: attempt } }
  await tx.turn.updateMany({
    where: { ...older, setAsideAt: null, state: ANSWERED.state },
    data: { setAsideAt: new Date() },
  })
}

/** Locks turns in order and before the summary, as all statements that lock several turns do. */
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
  tx: Tx,
  { id: summaryId, conversationId }: Turn,
  summedUp: bigint[],
): Promise<void> {
  const data = { setAsideAt: new Date(), summaryId }
  await tx.turn.updateMany({ where: { id: { in: summedUp } }, data })
  await tx.conversation.updateMany({
    where: { id: conversationId },
    data: { summaryOfferedTokens: null },
  })
}

/**
 * Charges a turn that ended before its cost was known.
 *
 * Invariant: a request of a turn has one charge, the first, and the turn's answer has the same figures. Safe to repeat.
 *
 * @throws {RangeError} If no charge can be of this cost.
 */
export async function chargeEnded(
  { prisma, spend }: TurnsApp,
  id: bigint,
  cost: TurnCost,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const { count } = await tx.turn.updateMany({ where: { id }, data: { heldMicroRub: null } })
    if (count === 0) return
    const turn = await tx.turn.findUniqueOrThrow({ where: { id } })
    if (!(await chargeTurn(tx, turn, cost, spend.calendar))) return
    const { promptTokens = null, completionTokens = null } = cost.usage ?? {}
    const figures = { promptTokens, completionTokens, costMicroRub: cost.amountMicroRub }
    await tx.message.updateMany({ where: { turnId: id, role: { not: 'user' } }, data: figures })
  })
}
